#!/usr/bin/env python3
"""Times warpsim beside Oclgrind, PoCL and numba's CUDA simulator on the same algorithms, in one run on one machine.

    compare.py [--rounds N] [--only TEXT] [--python PYTHON] [--worker FILE] [--patience SECONDS] [--out DIR]
    compare.py --table        measures nothing, and prints results.md as DIR/results.json has it

Every tool runs every case once per round, one after the other, so that whatever else the machine does falls on all of them
alike; a tool that took longer than --patience seconds on a case is not asked again. What is timed is the launch alone: no
compiling, no copying. Results are checked. Writes DIR/results.json and DIR/results.md; README.md says what is compared.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent

# Sizes that each tool can be asked for; the second list is what numba's threads manage.
SIZES = {
    "matmul": ([64, 128, 256, 512], [64, 128]),
    "reduction": ([4096, 65_536, 1_048_576], [4096]),
    "histogram": ([4096, 65_536, 1_048_576], [4096]),
    "transpose": ([64, 256, 1024], [64]),
}


class Tool:
    """A way to run a case: gives seconds and, for warpsim, warp instructions."""

    def __init__(self, name, command, environment=None, sizes=0, checks=""):
        self.name, self.command, self.environment = name, command, environment or {}
        self.sizes, self.checks = sizes, checks

    def run(self, algorithm, size, patience):
        command = [str(part) for part in self.command(algorithm, size)]
        environment = {**os.environ, **self.environment}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patience, cwd=HERE)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return done.stdout.strip().splitlines()


def bench_binary():
    """The optimised worker, built if need be."""
    command = ["cargo", "bench", "-p", "warpsim", "--bench", "compare", "--no-run", "--message-format=json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "compare":
            return message["executable"]
    raise SystemExit("cargo built no bench named compare")


def tools(python, worker):
    worker = worker or bench_binary()
    cores = os.cpu_count()

    def warpsim(mode, threads):
        return Tool(
            f"warpsim, {mode}, {threads} thread{'s' if threads > 1 else ''}",
            lambda algorithm, size: [worker, algorithm, size, mode, threads, 1],
            checks="races (shared, global), bounds, initialisation, barriers, counters",
        )

    found = [warpsim("checked", 1), warpsim("checked", cores), warpsim("optimised", 1), warpsim("optimised", cores)]
    opencl = lambda algorithm, size: [python, "opencl_worker.py", algorithm, size, 1]
    if shutil.which("oclgrind"):
        for options, checks in [
            (["--data-races"], "races, bounds"),
            (["--data-races", "--uninitialized"], "races, bounds, initialisation"),
        ]:
            command = lambda algorithm, size, options=options: ["oclgrind", *options, *opencl(algorithm, size)]
            found.append(Tool(f"Oclgrind {' '.join(options)}", command, checks=checks))
    # The first run compiles the kernel; the worker prints both, and the second counts.
    pocl = lambda algorithm, size: [python, "opencl_worker.py", algorithm, size, 2]
    if subprocess.run([python, "-c", "import pyopencl; pyopencl.get_platforms()"], capture_output=True).returncode == 0:
        found.append(Tool("PoCL", pocl, checks="none: native code"))
    numba = lambda algorithm, size: [python, "numba_worker.py", algorithm, size, 1]
    if subprocess.run([python, "-c", "import numba"], capture_output=True).returncode == 0:
        found.append(Tool("numba simulator", numba, {"NUMBA_ENABLE_CUDASIM": "1"}, sizes=1, checks="none"))
    return found


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def versions(found, python):
    revision = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True)
    given = {"warpsim": revision.stdout.strip(), "rustc": compiler.stdout.strip()}
    for tool in found:
        if tool.name.startswith(("Oclgrind --data-races", "PoCL", "numba")) and "uninitialized" not in tool.name:
            given[tool.name.split(" ")[0]] = tool.run("reduction", 4096, 600)[0]
    return given


def measure(found, only, rounds, patience):
    cases = [(a, n) for a, (sizes, _) in SIZES.items() for n in sizes if only in f"{a} {n}"]
    rows = {}
    for round_ in range(rounds):
        for algorithm, size in cases:
            # Every other round in the opposite order.
            for tool in found if round_ % 2 == 0 else found[::-1]:
                if size not in SIZES[algorithm][tool.sizes]:
                    continue
                row = rows.setdefault((algorithm, size, tool.name), {"seconds": [], "busy": [], "instructions": None, "schedules": 1, "stopped": False})
                # A case is at least four times the next smaller one.
                smaller = [rows[algorithm, other, tool.name] for a, other in cases
                           if a == algorithm and other < size and (algorithm, other, tool.name) in rows]
                if any(other["stopped"] or min(other["seconds"]) * 4 > 2 * patience for other in smaller):
                    row["stopped"] = True
                if row["stopped"]:
                    continue
                lines = tool.run(algorithm, size, 2 * patience)
                if lines is None:
                    row["stopped"] = True
                    continue
                if tool.name.startswith("warpsim"):
                    row["instructions"], row["schedules"] = map(int, lines.pop().split())
                # Of several runs the last: the first of PoCL compiles.
                row["busy"].append(float(lines[-1].split()[-1]))
                row["seconds"].append(float(lines[-2].split()[-1]))
                row["stopped"] = row["seconds"][-1] > patience
                print(f"{algorithm} {size}: {tool.name}: {row['seconds'][-1]:.4f} s", file=sys.stderr)
    return cases, rows


def rate_of(row):
    """Millions of warp instructions per processor second, of all schedules."""
    busy = min(row["busy"])
    return row["instructions"] * row["schedules"] / busy / 1e6 if busy else 0


def aims(record):
    """What was aimed at, beside what was measured."""
    found = {(row["case"], row["tool"]): row for row in record["results"] if row["seconds"]}
    one = lambda case, mode: found.get((case, f"warpsim, {mode}, 1 thread"))
    lines = []
    for mode in ("checked", "optimised"):
        row = one("matmul 512", mode)
        if row:
            rate = rate_of(row)
            lines.append(f"| M warp instructions/s a core, matmul 512, {mode} | at least 15 | {rate:.1f} |")
            lines.append(f"| s for matmul 512, {mode}, one thread, median | at most 1.5 | {seconds_text(row['median'])} |")
    ours, theirs = one("matmul 128", "checked"), found.get(("matmul 128", "Oclgrind --data-races"))
    if ours and theirs:
        lines.append(f"| times as fast as Oclgrind with races, matmul 128, median | at least 50 | {theirs['median'] / ours['median']:.0f} |")
    return ["", "## Aims", "", "| what | aim | measured |", "|---|--:|--:|", *lines] if lines else []


def scaling(record):
    """One thread beside all of them."""
    cores = record["machine"]["cores"]
    found = {(row["case"], row["tool"]): row for row in record["results"] if row["seconds"]}
    lines = []
    for case, tool in found:
        if tool.startswith("warpsim") and tool.endswith(" 1 thread"):
            mode = tool.split(", ")[1]
            several = found.get((case, f"warpsim, {mode}, {cores} threads"))
            if several:
                one, all_ = found[case, tool]["median"], several["median"]
                lines.append(f"| {case} | {mode} | {seconds_text(one)} | {seconds_text(all_)} | {one / all_:.2f} |")
    if not lines:
        return []
    head = f"| case | mode | 1 thread, s | {cores} threads, s | times as fast |"
    return ["", "## Scaling", "", "Medians. Blocks of the histogram meet in atomics and take turns on one thread.", "",
            head, "|---|---|--:|--:|--:|", *lines]


def seconds_text(value):
    return f"{value:.4f}" if value < 1 else f"{value:.2f}"


def markdown(record):
    out = [
        "# warpsim beside other simulators",
        "",
        f"Made by `compare.py` on {record['date']}: {record['machine']['processor']}, {record['machine']['cores']} cores,",
        f"load {record['machine']['load']} when it began. Medians of up to {record['rounds']} runs, taken in turns.",
        "",
        *[f"- {name}: {version}" for name, version in record["versions"].items()],
        "",
        "Processor seconds are summed over threads, and other work on the machine disturbs them less than it does the clock.",
        "Instructions are per processor second, from the least. Ratios are the other tool's over those of `warpsim, checked` on",
        "one thread: median by the clock, and least processor seconds; above 1 warpsim is faster.",
        "",
        "A schedule is an order of blocks and warps. The others know one; warpsim runs more where a kernel could see a difference and",
        "they are cheap, which the histogram's small cases are. Its seconds are for all of them together.",
        "",
        "| case | tool | schedules | runs | median s | least s | least processor s | M warp instr./s | ratio | of processor s |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in record["results"]:
        cells = [row["case"], row["tool"], str(row["schedules"]), str(len(row["seconds"]))]
        if row["seconds"]:
            busy = min(row["busy"])
            rate = f"{rate_of(row):.1f}" if row["instructions"] and busy else ""
            cells += [seconds_text(row["median"]), seconds_text(min(row["seconds"])), seconds_text(busy), rate]
            cells += [f"{row[ratio]:.3g}" if row[ratio] else "" for ratio in ("ratio", "busy_ratio")]
        else:
            cells += ["no end", "", "", "", "", ""]
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out + aims(record) + scaling(record)) + "\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--only", default="", help="cases whose name has this text")
    arguments.add_argument("--python", default=sys.executable, help="with numpy, pyopencl and numba")
    arguments.add_argument("--worker", help="the compare bench's binary, if it is built already")
    arguments.add_argument("--patience", type=float, default=60)
    arguments.add_argument("--out", type=pathlib.Path, default=HERE)
    arguments.add_argument("--table", action="store_true", help="print the table of what was measured, and measure nothing")
    arguments = arguments.parse_args()
    if arguments.table:
        print(markdown(json.loads((arguments.out / "results.json").read_text())), end="")
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    load = os.getloadavg()[0]
    found = tools(arguments.python, arguments.worker)
    record = {
        "date": datetime.date.today().isoformat(),
        "machine": {"processor": processor(), "cores": os.cpu_count(), "load": round(load, 1), "system": platform.platform()},
        "rounds": arguments.rounds,
        "versions": versions(found, arguments.python),
        "checks": {tool.name: tool.checks for tool in found},
        "results": [],
    }
    cases, rows = measure(found, arguments.only, arguments.rounds, arguments.patience)
    for algorithm, size in cases:
        ours = rows[algorithm, size, found[0].name]
        for tool in found:
            row = rows.get((algorithm, size, tool.name))
            if row is None:
                continue
            median = statistics.median(row["seconds"]) if row["seconds"] else None
            record["results"].append({
                "case": f"{algorithm} {size}",
                "tool": tool.name,
                "seconds": row["seconds"],
                "busy": row["busy"],
                "median": median,
                "instructions": row["instructions"],
                "schedules": row["schedules"],
                "ratio": median / statistics.median(ours["seconds"]) if median and ours["seconds"] else None,
                "busy_ratio": min(row["busy"]) / min(ours["busy"]) if row["busy"] and min(ours["busy"]) else None,
            })
    (arguments.out / "results.json").write_text(json.dumps(record, indent=1) + "\n")
    (arguments.out / "results.md").write_text(markdown(record))
    print(markdown(record))


if __name__ == "__main__":
    main()
