#!/usr/bin/env python3
"""Where an interpreter bench spends its time, by function of the simulator, through everything that was inlined.

    profile.py NAME [--seconds N] [--least PERCENT]
    profile.py --case "matmul 256 optimised 1 25" [--least PERCENT]

NAME is a bench of benches/interpreter.rs, such as tiled_product_optimised; a case is what benches/compare.rs takes. Needs Linux' perf and binutils' addr2line and
readelf. `with callees` counts a sample for every function of the simulator in its chain of inlined calls, `itself` for the
innermost one.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def output(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def binary(bench):
    lines = output("cargo", "bench", "-p", "warpsim", "--bench", bench, "--no-run", "--message-format=json")
    messages = map(json.loads, lines.splitlines())
    return next(m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == bench)


def samples(executable, command):
    """How often each address of the executable, or `None` for any other code, was met."""
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "perf.data"
        output("perf", "record", "-q", "-o", data, "-F", 2000, executable, *command)
        script = output("perf", "script", "-i", data, "-F", "ip", "--show-mmap-events")
    headers = output("readelf", "-lW", executable)
    offset, address = next(
        (int(a, 16), int(b, 16)) for a, b in re.findall(r"LOAD\s+(0x[0-9a-f]+)\s+(0x[0-9a-f]+).*R E", headers)
    )
    start = length = shift = 0
    found = collections.Counter()
    for line in script.splitlines():
        mapped = re.search(r"MMAP2.*\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*r-xp (.*)$", line)
        if mapped:
            if mapped.group(4).strip() == executable:
                start, length = int(mapped.group(1), 16), int(mapped.group(2), 16)
                shift = int(mapped.group(3), 16) - offset + address - start
            continue
        if re.fullmatch(r"\s*[0-9a-f]+\s*", line):
            at = int(line, 16)
            found[at + shift if start <= at < start + length else None] += 1
    return found


def chains(executable, addresses):
    """Per address, the simulator's functions, innermost first."""
    text = subprocess.run(
        ["addr2line", "-e", executable, "-a", "-i", "-f", "-C"],
        input="\n".join(map(hex, addresses)), capture_output=True, text=True, check=True,
    ).stdout.splitlines()
    found, at = {}, 0
    while at < len(text):
        if text[at].startswith("0x"):
            chain = found.setdefault(int(text[at], 16), [])
            at += 1
            continue
        place = re.search(r"simulator/src/([^:]*)\.rs", text[at + 1])
        if place:
            name = re.sub(r"<.*", "", text[at]).rsplit("::", 1)[-1] or text[at]
            chain.append(f"{place.group(1).replace('/', '::')}::{name}")
        at += 2
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("name", nargs="?")
    arguments.add_argument("--case", help="algorithm, size, mode, threads and runs")
    arguments.add_argument("--seconds", type=int, default=10)
    arguments.add_argument("--least", type=float, default=1.0)
    arguments = arguments.parse_args()
    if bool(arguments.name) == bool(arguments.case):
        raise SystemExit("expected either the name of a bench or --case")
    executable = binary("compare" if arguments.case else "interpreter")
    command = arguments.case.split() if arguments.case else ["--bench", arguments.name, "--profile-time", arguments.seconds]
    found = samples(executable, command)
    known = chains(executable, [address for address in found if address is not None])
    total = sum(found.values())
    itself, with_callees = collections.Counter(), collections.Counter()
    for address, count in found.items():
        chain = known.get(address) or ["(libc, kernel, standard library)"]
        itself[chain[0]] += count
        for function in set(chain):
            with_callees[function] += count
    print(f"{arguments.name or arguments.case}: {total} samples\n\n| function | with callees | itself |\n|---|--:|--:|")
    for function, count in with_callees.most_common():
        if 100 * count >= arguments.least * total:
            print(f"| `{function}` | {100 * count / total:.1f} % | {100 * itself[function] / total:.1f} % |")


main()
