#!/usr/bin/env python3
"""Runs one case with whatever OpenCL there is (`oclgrind` puts itself before all others) and prints the seconds of each run, then
the processor seconds.

    opencl_worker.py ALGORITHM SIZE RUNS
"""

import pathlib
import sys
import time

import numpy as np
import pyopencl as cl

from cases import parse

HERE = pathlib.Path(__file__).resolve().parent


def main():
    case, runs = parse(sys.argv[1:]), int(sys.argv[3])
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    # The fair comparison is of execution: nothing unsafe, and what every tool does by default otherwise.
    program = cl.Program(context, (HERE / "kernels.cl").read_text()).build()
    kernel = cl.Kernel(program, case.algorithm)
    flags = cl.mem_flags
    buffers = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=array) for array in case.inputs]
    seconds, busy = [], []
    for _ in range(runs):
        out = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=case.output)
        scalar = [] if case.scalar is None else [np.int32(case.scalar)]
        kernel.set_args(*buffers, out, *scalar)
        size = tuple(grid * block for grid, block in zip(case.grid, case.block))
        queue.finish()
        start, start_busy = time.perf_counter(), time.process_time()
        cl.enqueue_nd_range_kernel(queue, kernel, size, case.block)
        queue.finish()
        seconds.append(time.perf_counter() - start)
        busy.append(time.process_time() - start_busy)
        result = np.empty_like(case.output)
        cl.enqueue_copy(queue, result, out)
        case.check(result)
    print(device.platform.version.strip(), device.name.strip(), sep=" | ")
    print(*seconds)
    print(*busy)


main()
