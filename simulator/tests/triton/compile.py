#!/usr/bin/env python3
"""Makes the PTX of the kernels in kernels.py, in compiled/: Triton needs no GPU for that.

    compile.py [--check]      with --check: says which of compiled/ are not what Triton makes today, and writes nothing
"""

import argparse
import pathlib
import re
import sys

import kernels
import triton
from triton.backends.compiler import GPUTarget

HERE = pathlib.Path(__file__).resolve().parent
KINDS = {"fp16": "fp16", "bf16": "bf16", "tf32": "fp32", "fp8": "fp8e4nv"}
# The tensor cores of capability 8.0 have no numbers of eight bits: Triton makes halves of them, of this kind alone.
OLD_FP8 = "fp8e5"


def matmuls():
    for kind, of in KINDS.items():
        for capability in (80, 90):
            number = OLD_FP8 if (kind, capability) == ("fp8", 80) else of
            signature = {"a": f"*{number}", "b": f"*{number}", "c": "*fp32", "m": "i32", "n": "i32", "k": "i32"}
            yield f"matmul_{kind}_{capability}", kernels.matmul, signature, {"M": 64, "N": 64, "K": 32}, capability


def everything():
    for capability in (80, 90):
        yield f"vector_add_{capability}", kernels.vector_add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 1024}, capability
        signature = {"x": "*fp32", "out": "*fp32", "columns": "i32", "stride": "i32"}
        yield f"softmax_{capability}", kernels.softmax, signature, {"BLOCK": 1024}, capability
        signature = {"x": "*fp32", "weight": "*fp32", "bias": "*fp32", "out": "*fp32", "columns": "i32", "stride": "i32", "eps": "fp32"}
        yield f"layer_norm_{capability}", kernels.layer_norm, signature, {"BLOCK": 512}, capability
    yield from matmuls()


def ptx(function, signature, constants, capability):
    signature = signature | {name: "constexpr" for name in constants}
    # Pointers are aligned, as every tensor's are, and sizes are multiples of 16.
    aligned = {(index,): [["tt.divisibility", 16]] for index, kind in enumerate(signature.values()) if kind != "constexpr" and kind != "fp32"}
    source = triton.compiler.ASTSource(fn=function, signature=signature, constexprs=constants, attrs=aligned)
    kernel = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": 4, "num_stages": 3})
    # Where this folder lies says nothing.
    # The lines of the source are enough: what debuggers read besides is left out, and where the sources lie.
    text = kernel.asm["ptx"].partition("\t.section\t.debug")[0]
    text = re.sub(r'(\.file\s+\d+ )".*/', r'\1"', re.sub(r"[ \t]*//.*", "", text))
    text = re.sub(r"\n\n+", "\n", text).lstrip()
    return f"// shared {kernel.metadata.shared}\n{text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    folder = HERE / "compiled"
    folder.mkdir(exist_ok=True)
    stale = []
    for name, *rest in everything():
        text = ptx(*rest)
        path = folder / f"{name}.ptx"
        if check and (not path.exists() or path.read_text() != text):
            stale.append(name)
        elif not check:
            path.write_text(text)
    if stale:
        sys.exit(f"not what Triton {triton.__version__} makes of kernels.py: {', '.join(stale)}; run compile.py without --check")


if __name__ == "__main__":
    main()
