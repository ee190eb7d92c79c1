#!/usr/bin/env python3
"""Makes the PTX of the corpus' kernels, in compiled/ beside them: NAME.cu as it stands gives NAME.clean.ptx, with -DDEFECT=N it gives
NAME.defectN.ptx. And that of the kernels of ../pass and ../fail: NAME.ptx.

    compile.py [--only TEXT] [--toolchain DIR]

Options are those of the grader's checked mode; paths in the PTX are relative to this folder, so that it is the same anywhere.
The toolchain is the folder with lib/libnvrtc.so.13 and include/ that `grader compiler install` made.
"""

import argparse
import collections
import ctypes
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
SHIMS = HERE.parents[2] / "harness" / "src" / "compiler" / "shims"
CACHE = pathlib.Path.home() / ".cache" / "cuda-grader"


WORD = re.compile(r"[A-Za-z_$%][\w$]*")
LIBRARY_VARIABLE = re.compile(
    r"^\.(?:visible |weak )*\.?(?:global|const)\b[^=;\n]*?\b(_ZN[\w$]+)(?:\[\d*\])?(?: = [^;]*)?;\n", re.MULTILINE
)


def shortened(ptx):
    """The same kernel in a third of the bytes: without comments, without the libraries' variables that nothing names, and with
    short names for functions and their parameters. No name of a kernel or of a variable that is used changes, and no line of the source."""
    ptx = re.sub(r'^([^"\n]*?)[ \t]*//.*', r"\1", ptx, flags=re.MULTILINE)
    uses = collections.Counter(WORD.findall(ptx))
    ptx = LIBRARY_VARIABLE.sub(lambda match: "" if uses[match[1]] == 1 else match[0], ptx)
    names = {}
    for name in re.findall(r"^\.func\s+(?:\(.*?\)\s*)?([\w$]+)", ptx, re.MULTILINE):
        if len(name) > 12:
            names.setdefault(name, f"f{len(names)}")

    def short(match):
        head, of, number = match[0].rpartition("_param_")
        if of and head in names:
            return f"{names[head]}_param_{number}"
        return names.get(match[0], match[0])

    return re.sub(r"\n\s*\n+", "\n", WORD.sub(short, ptx)).lstrip("\n")


class Nvrtc:
    def __init__(self, toolchain):
        self.include = toolchain / "include"
        ctypes.CDLL(str(next((toolchain / "lib").glob("libnvrtc-builtins.so*"))), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(toolchain / "lib" / "libnvrtc.so.13"))

    def text(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{what}")(program, buffer)
        return buffer.value.decode()

    def compile(self, path, defect):
        # What warpgroups do belongs to one architecture and to none after it.
        is_specific = any(word in path.read_bytes() for word in (b"wgmma", b"setmaxnreg"))
        architecture = "compute_90a" if is_specific else "compute_90"
        options = ["--std=c++17", "-lineinfo", f"--gpu-architecture={architecture}", "--Ofast-compile=max"]
        options += [f"--include-path={self.include}", f"--include-path={self.include / 'cccl'}"]
        if defect:
            options.append(f"--define-macro=DEFECT={defect}")
        name = str(path.relative_to(HERE.parent))
        # NVRTC declares assert() itself; of cuda.h kernels take what the grader gives them of it.
        headers = {"assert.h": "#pragma once\n", "cuda.h": (SHIMS / "cuda.h").read_text()}
        texts = (ctypes.c_char_p * len(headers))(*[text.encode() for text in headers.values()])
        names = (ctypes.c_char_p * len(headers))(*[key.encode() for key in headers])
        program = ctypes.c_void_p()
        source = path.read_bytes()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source, name.encode(), len(headers), texts, names)
        code = self.library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*[o.encode() for o in options]))
        if code:
            raise SystemExit(f"{name} (defect {defect}):\n{self.text(program, 'ProgramLog')}")
        ptx = self.text(program, "PTX")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        # NVRTC names the source and its headers absolutely.
        ptx = ptx.replace(f'"{pathlib.Path.cwd()}/', '"').replace(f'"{self.include}/', '"/toolkit/include/')
        kind = f".defect{defect}" if defect else ".clean" if HERE in path.parents else ""
        folder = path.parent / "compiled"
        folder.mkdir(exist_ok=True)
        (folder / f"{path.stem}{kind}.ptx").write_text(shortened(ptx) if HERE in path.parents else ptx)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--only", default="")
    arguments.add_argument("--toolchain", type=pathlib.Path, default=next(CACHE.glob("nvrtc-13.0.88-*"), None))
    arguments = arguments.parse_args()
    if arguments.toolchain is None:
        raise SystemExit(f"no NVRTC 13.0.88 in {CACHE}: run `grader compiler install`, or name its folder with --toolchain")
    nvrtc = Nvrtc(arguments.toolchain)
    others = [*HERE.parent.glob("pass/*.cu"), *HERE.parent.glob("fail/*/*.cu")]
    for path in sorted([*HERE.rglob("*.cu"), *others]):
        name = str(path.relative_to(HERE.parent))
        if arguments.only in name:
            defects = re.findall(r"^//! defect (\d+):", path.read_text(), re.MULTILINE)
            assert defects == [str(n + 1) for n in range(len(defects))], f"{name}: number the defects from 1"
            for defect in range(len(defects) + 1):
                nvrtc.compile(path, defect)


if __name__ == "__main__":
    main()
