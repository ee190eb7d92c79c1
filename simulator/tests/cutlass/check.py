#!/usr/bin/env python3
"""Runs kernels written with CuTe, the library under CUTLASS, on the simulator: PTX of templates that nobody here wrote.

    check.py GRADER CUTLASS [KERNEL ...]

GRADER is the program, CUTLASS the folder with cute/ and cutlass/ (.ci/cutlass.txt names the package that has it). As it
stands each kernel must be clean, in the checked and in the optimised build, and give A · B exactly; with -DDEFECT it must
have a race. Line 1 of a kernel says how it is launched; A and B are files of small whole numbers.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
# Of B in half_gemm.cu the k come first, in warpgroup_gemm.cu the n.
PRODUCT = {"half_gemm": lambda a, b: a @ b, "warpgroup_gemm": lambda a, b: a @ b.T}


def files(launch, folder):
    """Writes A and B in the shapes that the launch names; gives them, and the launch that reads them."""
    matrices, random = {}, numpy.random.default_rng(1)
    for shape, name in re.findall(r"in:f16:(\d+x\d+)=([AB])\b", launch):
        rows, columns = map(int, shape.split("x"))
        matrices[name] = random.integers(-4, 5, (rows, columns)).astype(numpy.float16)
        numpy.save(folder / f"{name}.npy", matrices[name])
    launch = re.sub(r"=([AB])\b", lambda of: f"={folder / of[1]}.npy", launch)
    return matrices, launch.split()


def run(grader, cutlass, kernel, folder, defect):
    first = kernel.read_text().split("\n", 1)[0]
    matrices, launch = files(first.removeprefix("//@ run "), folder)
    options = ["--include", str(cutlass), "--default-device", "--device", "sim:h200", "--format", "json"]
    options += ["--save", f"2={folder / 'C.npy'}", *(["--define", "DEFECT"] if defect else [])]
    done = subprocess.run([grader, "run", str(kernel), *launch, *options], capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return f"no report: {done.stderr}"
    errors = [f"{of['kind']}: {of['message']}" for of in report["findings"] if of["severity"] == "error"]
    if defect:
        kinds = {of["kind"] for of in report["findings"] if of["severity"] == "error"}
        return None if kinds == {"race"} else f"not a race alone: {kinds or report['status']}"
    if report["status"] != "finished" or errors or done.returncode != 0:
        return f"{report['status']}: {errors or report['diagnostics']}"
    a, b = (matrices[name].astype(numpy.float32) for name in "AB")
    wrong = numpy.count_nonzero(numpy.load(folder / "C.npy") != PRODUCT[kernel.stem](a, b))
    return f"{wrong} elements are wrong" if wrong else None


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    grader, cutlass, only = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    wrong = 0
    for kernel in sorted(HERE.glob("*.cu")):
        if only and kernel.stem not in only:
            continue
        for defect in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                trouble = run(grader, cutlass, kernel, pathlib.Path(folder), defect)
            print(f"{kernel.stem}{' with its defect' if defect else ''}: {trouble or 'as it should be'}", flush=True)
            wrong += trouble is not None
    sys.exit(wrong)


if __name__ == "__main__":
    main()
