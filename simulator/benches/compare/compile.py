#!/usr/bin/env python3
"""Makes checked.ptx and optimised.ptx from kernels.cu, with the options of the grader's two modes.

    compile.py [--toolchain DIR]

The toolchain is the folder with lib/libnvrtc.so.13 that `grader compiler install` made.
"""

import argparse
import ctypes
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path.home() / ".cache" / "cuda-grader"
MODES = {"checked": ["--Ofast-compile=max"], "optimised": []}


def text(library, program, what):
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    return buffer.value.decode()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--toolchain", type=pathlib.Path, default=next(CACHE.glob("nvrtc-13.0.88-*"), None))
    folder = arguments.parse_args().toolchain
    if folder is None:
        raise SystemExit("no NVRTC 13.0.88 found: run `grader compiler install`, or say --toolchain DIR")
    ctypes.CDLL(str(next((folder / "lib").glob("libnvrtc-builtins.so*"))), mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(str(folder / "lib" / "libnvrtc.so.13"))
    for mode, extra in MODES.items():
        options = [o.encode() for o in ["--std=c++17", "-lineinfo", "--gpu-architecture=compute_80", *extra]]
        program = ctypes.c_void_p()
        source = (HERE / "kernels.cu").read_bytes()
        library.nvrtcCreateProgram(ctypes.byref(program), source, b"kernels.cu", 0, None, None)
        if library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)):
            raise SystemExit(text(library, program, "ProgramLog"))
        ptx = text(library, program, "PTX").replace(f'"{pathlib.Path.cwd()}/', '"')
        (HERE / f"{mode}.ptx").write_text(ptx)
        library.nvrtcDestroyProgram(ctypes.byref(program))


main()
