#!/usr/bin/env python3
"""Runs Triton's products of matrices on this machine's GPU, on numbers without a pattern.

    measure.py [OUTPUT]      writes gpu.json: of each kernel a hash of its results, and which GPU they are from. Needs CuPy.

`triton.rs` compares them with the simulator's, bit for bit: how tensor cores round and in which order they add is part of them.
"""

import datetime
import json
import pathlib
import subprocess
import sys

import cupy
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
M, N, K = 128, 64, 96


def values(count, first):
    """Singles between -2 and 2, as `triton.rs` has them."""
    at = np.arange(first, first + count, dtype=np.uint32)
    return ((at * np.uint32(2654435761)) >> np.uint32(20)).astype(np.float32) / np.float32(1024) - np.float32(2)


def as_e4m3(x):
    """The nearest number of eight bits towards zero."""
    bits = x.view(np.uint32)
    exponent = (bits >> 23 & 0xFF).astype(np.int32) - 127 + 7
    rest = np.where(exponent > 0, exponent.astype(np.uint32) << 3 | bits >> 20 & 7, 0)
    return (bits >> 31 << 7 | rest).astype(np.uint8)


def as_e5m2(x):
    """The upper half of a half."""
    return (x.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8)


NUMBERS = {
    "fp16": lambda x: x.astype(np.float16),
    "bf16": lambda x: (x.view(np.uint32) >> 16).astype(np.uint16),
    "tf32": lambda x: x,
    "fp8": as_e4m3,
}
KERNELS = ["fp16_80", "bf16_80", "tf32_80", "fp16_90", "bf16_90", "tf32_90", "fp8_90"]
ENCODE = {f"matmul_{kernel}": NUMBERS[kernel.split("_")[0]] for kernel in KERNELS} | {"matmul_fp8_80": as_e5m2}


def fnv(data):
    """FNV-1a, 64 bits."""
    found = 0xCBF29CE484222325
    for byte in data:
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return f"{found:016x}"


def main():
    hashes = {}
    for name, encode in ENCODE.items():
        path = HERE / "compiled" / f"{name}.ptx"
        shared = int(path.read_text().splitlines()[0].split()[-1])
        kernel = cupy.RawModule(path=str(path)).get_function("matmul")
        a, b = cupy.asarray(encode(values(M * K, 0))), cupy.asarray(encode(values(K * N, 5)))
        c = cupy.zeros((M, N), np.float32)
        sides = (np.int32(M), np.int32(N), np.int32(K))
        kernel((M // 64, N // 64), (128,), (a, b, c, *sides, np.uint64(0), np.uint64(0)), shared_mem=shared)
        hashes[name] = fnv(c.get().tobytes())
    smi = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True, check=True).stdout
    gpu, driver = (part.strip() for part in smi.splitlines()[0].split(","))
    record = {"gpu": gpu, "driver": driver, "date": datetime.date.today().isoformat(), "results": hashes}
    output = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "gpu.json")
    output.write_text(json.dumps(record, indent=1) + "\n")
    print(f"{len(hashes)} products on {gpu}")


if __name__ == "__main__":
    main()
