#!/usr/bin/env python3
"""Runs one case with numba's CUDA simulator and prints the seconds of each run, then the processor
seconds. It looks for no defects.

    NUMBA_ENABLE_CUDASIM=1 numba_worker.py ALGORITHM SIZE RUNS
"""

import sys
import time

import numba
from numba import cuda, float32, uint32

from cases import parse


@cuda.jit
def matmul(a, b, c, n):
    s = cuda.shared.array((16, 16), float32)
    t = cuda.shared.array((16, 16), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = cuda.blockIdx.y * 16 + y, cuda.blockIdx.x * 16 + x
    total = float32(0)
    for k in range(0, n, 16):
        s[y, x] = a[row * n + k + x]
        t[y, x] = b[(k + y) * n + column]
        cuda.syncthreads()
        for i in range(16):
            total += s[y, i] * t[i, x]
        cuda.syncthreads()
    c[row * n + column] = total


@cuda.jit
def reduction(values, out):
    s = cuda.shared.array(256, uint32)
    t = cuda.threadIdx.x
    s[t] = values[cuda.blockIdx.x * 256 + t]
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


@cuda.jit
def histogram(values, bins):
    s = cuda.shared.array(256, uint32)
    t = cuda.threadIdx.x
    s[t] = 0
    cuda.syncthreads()
    for i in range(16):
        cuda.atomic.add(s, values[cuda.blockIdx.x * 4096 + i * 256 + t] & 255, 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, s[t])


@cuda.jit
def transpose(values, out, n):
    s = cuda.shared.array((32, 33), float32)
    x, y = cuda.blockIdx.x * 32 + cuda.threadIdx.x, cuda.blockIdx.y * 32 + cuda.threadIdx.y
    for j in range(0, 32, 8):
        s[cuda.threadIdx.y + j, cuda.threadIdx.x] = values[(y + j) * n + x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * 32 + cuda.threadIdx.x, cuda.blockIdx.x * 32 + cuda.threadIdx.y
    for j in range(0, 32, 8):
        out[(y + j) * n + x] = s[cuda.threadIdx.x, cuda.threadIdx.y + j]


def main():
    case, runs = parse(sys.argv[1:]), int(sys.argv[3])
    kernel = globals()[case.algorithm]
    seconds, busy = [], []
    for _ in range(runs):
        inputs = [cuda.to_device(array) for array in case.inputs]
        out = cuda.to_device(case.output)
        scalar = [] if case.scalar is None else [case.scalar]
        start, start_busy = time.perf_counter(), time.process_time()
        kernel[case.grid, case.block](*inputs, out, *scalar)
        cuda.synchronize()
        seconds.append(time.perf_counter() - start)
        busy.append(time.process_time() - start_busy)
        case.check(out.copy_to_host())
    print(f"numba {numba.__version__} CUDA simulator")
    print(*seconds)
    print(*busy)


main()
