#!/usr/bin/env python3
"""Makes checked.ptx and optimised.ptx beside a source, with the options of the grader's two modes.

    compile.py [--source FILE] [--toolchain DIR]

The source is kernels.cu of this folder, if nothing else is said. The toolchain is the folder with lib/libnvrtc.so.13 that
`grader compiler install` made.
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
    arguments.add_argument("--source", type=pathlib.Path, default=HERE / "kernels.cu")
    arguments = arguments.parse_args()
    folder = arguments.toolchain
    if folder is None:
        raise SystemExit("no NVRTC 13.0.88 found: run `grader compiler install`, or say --toolchain DIR")
    ctypes.CDLL(str(next((folder / "lib").glob("libnvrtc-builtins.so*"))), mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(str(folder / "lib" / "libnvrtc.so.13"))
    for mode, extra in MODES.items():
        include = f"--include-path={folder / 'include'}"
        options = [o.encode() for o in ["--std=c++17", "-lineinfo", "--gpu-architecture=compute_80", include, *extra]]
        program = ctypes.c_void_p()
        source = arguments.source.read_bytes()
        library.nvrtcCreateProgram(ctypes.byref(program), source, arguments.source.name.encode(), 0, None, None)
        if library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)):
            raise SystemExit(text(library, program, "ProgramLog"))
        ptx = text(library, program, "PTX").replace(f'"{pathlib.Path.cwd()}/', '"')
        (arguments.source.parent / f"{mode}.ptx").write_text(ptx)
        library.nvrtcDestroyProgram(ctypes.byref(program))


main()
