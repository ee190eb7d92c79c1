#!/usr/bin/env python3
"""How a launch whose blocks are independent scales over threads, beside what the machine gives processes that share nothing.

    scaling.py [--case "matmul 512"] [--binary PATH] [--rounds N]

One thread, then 2, 4 … up to the machine's; and as many processes of one thread each at the same time, which is all that
threads could reach: cores share memory, caches and clocks. A share of 100 % would be threads that never wait. The least time of
all rounds; `--binary` is a `compare` bench built elsewhere.
"""

import argparse
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "compare"))
from compare import bench_binary, processor  # noqa: E402

REPEATS = "3"


def start(binary, case, mode, threads):
    command = [binary, *case.split(), mode, str(threads), REPEATS]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def seconds(running):
    printed, _ = running.communicate()
    if running.returncode:
        raise SystemExit(f"the bench ended with {running.returncode}: run it by itself to see why")
    return min(map(float, printed.splitlines()[0].split()))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--case", default="matmul 512")
    arguments.add_argument("--binary")
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    binary = given.binary or bench_binary()
    cores = os.cpu_count()
    counts = [1 << power for power in range(cores.bit_length()) if 1 << power <= cores]
    print(f"`{given.case}`, {processor()}, {cores} processors, the least time of {given.rounds} rounds\n")
    print("| PTX | threads | seconds | against one thread | as many processes, seconds each | share of theirs |")
    print("|---|--:|--:|--:|--:|--:|")
    for mode in ("optimised", "checked"):
        one = None
        for threads in counts:
            both = []
            for _ in range(given.rounds):
                alone = seconds(start(binary, given.case, mode, threads))
                beside = [seconds(each) for each in [start(binary, given.case, mode, 1) for _ in range(threads)]]
                both.append((alone, sum(beside) / threads))
            alone, beside = (min(times) for times in zip(*both))
            one = one or alone
            share = beside / threads / alone
            print(f"| {mode} | {threads} | {alone:.3f} | {one / alone:.1f}× | {beside:.3f} | {share:.0%} |", flush=True)


if __name__ == "__main__":
    main()
