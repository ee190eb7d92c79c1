#!/usr/bin/env python3
"""Whether one build of the simulator is faster than another: both run the same cases by turns on one thread.

    paired.py BEFORE AFTER [--case "ALGORITHM SIZE MODE"]… [--rounds N]

BEFORE and AFTER are checkouts, whose `compare` bench is built in this checkout's `target/paired/`, or such benches built elsewhere. A round
runs both, in the opposite order of the round before, so that whatever else the machine does falls on both alike. The ratio is that of
the processor time, AFTER to BEFORE: below 1, AFTER is faster. Another number of warp instructions in AFTER is shown, for then the two
do not do the same work.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = [f"{case} {mode}" for case in ("matmul 256", "reduction 1048576", "histogram 65536", "transpose 1024") for mode in ("checked", "optimised")]


def binary(path, name):
    """The bench of a checkout, built if need be; or the bench that this is."""
    if path.is_file():
        return path.resolve()
    command = ["cargo", "bench", "-p", "warpsim", "--bench", "compare", "--no-run", "--message-format=json"]
    # A folder for each: cargo gives the benches of two checkouts the same name.
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target" / "paired" / name)}
    done = subprocess.run(command, cwd=path, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{path}: cargo could not build the bench")
    messages = map(json.loads, done.stdout.splitlines())
    built = [message["executable"] for message in messages if message.get("executable") and message["target"]["name"] == "compare"]
    if not built:
        raise SystemExit(f"{path}: cargo built no bench named compare")
    return pathlib.Path(built[-1])


def run(bench, case):
    """Processor seconds of one launch, and its warp instructions. Where the system does not tell the former: seconds."""
    command = [bench, *case.split(), "1", "1"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}")
    seconds, busy, work = done.stdout.splitlines()
    return float(busy) or float(seconds), int(work.split()[0])


def compared(before, after, case, rounds):
    """One row of the table."""
    ratios, work = [], {}
    for number in range(rounds):
        took = {}
        for bench in (before, after) if number % 2 == 0 else (after, before):
            took[bench], work[bench] = run(bench, case)
        ratios.append(took[after] / took[before])
    more = work[after] / work[before]
    note = "" if more == 1 else f" ({more:.3f} times the warp instructions)"
    return f"| {case}{note} | {statistics.median(ratios):.3f} | {min(ratios):.3f} | {max(ratios):.3f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--case", action="append", help=f"without it: {', '.join(CASES)}")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    before, after = binary(given.before, "before"), binary(given.after, "after")
    if before == after:
        raise SystemExit(f"both are {before}: name two builds")
    print(f"| case, {given.rounds} rounds | median ratio | least | greatest |\n|---|--:|--:|--:|")
    for case in given.case or CASES:
        print(compared(before, after, case, given.rounds), flush=True)


if __name__ == "__main__":
    main()
