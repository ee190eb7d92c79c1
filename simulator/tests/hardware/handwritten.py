#!/usr/bin/env python3
"""Runs the kernels of handwritten.rs on this machine's GPU, and compares with what their texts promise.

    PREPARE_HANDWRITTEN=FOLDER cargo test -p warpsim --test handwritten    anywhere: writes the kernels
    handwritten.py FOLDER                                                  needs CuPy; ends with 1 if anything differs

Only the driver compiles the PTX.
"""

import pathlib
import sys


def main():
    import cupy

    kernels = sorted(pathlib.Path(sys.argv[1]).glob("*.ptx"))
    if not kernels:
        sys.exit(f"expected kernels in {sys.argv[1]}, found none: prepare them first")
    wrong = 0
    for path in kernels:
        text = path.read_text()
        expected = [int(word) for word in text.split("\n", 1)[0].split()[1:]]
        try:
            kernel = cupy.RawModule(path=str(path)).get_function("k")
            out = cupy.full(8, 0xEEEEEEEE, dtype=cupy.uint32)
            kernel((1,), (1,), (out,))
            found = [int(word) for word in out.get()[: len(expected)]]
        except cupy.cuda.driver.CUDADriverError as error:
            found = str(error)
        if found != expected:
            wrong += 1
            print(f"✗ {path.name}: the simulator gives {expected}, the GPU {found}\n{text}")
    print(f"{len(kernels) - wrong} of {len(kernels)} kernels give what their texts promise")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
