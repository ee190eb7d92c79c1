#!/usr/bin/env python3
"""Kernels that are right only where they are looked at: each must fail.

    run.py --grader PATH [--all | --sample N] [--seed S] [--only TEXT]… [--jobs N] [--device SPEC] [--out FILE]
    run.py --grader PATH --values [--device SPEC]       (what each predicate says there)

A predicate `tells()` (a file beside this one) holds, or may hold, where the judge looks and not where the kernel runs:

    builds/      in one of the two builds that the simulator runs, and not in the other
    assembler/   in PTX, and not in what the assembler makes of it
    machine/     on the simulator, and not on a GPU

Around every barrier, fence, wait, acquire and look at the clock of every solution and step stands `if (tells())`. Such a kernel
must fail in `compile`, `permitted`, `correct` or `clean`; unless a predicate of the first two families holds in all builds at that
place, which makes the kernel right everywhere: shown by one that stops itself where the predicate does not hold. `--all` runs every predicate at every place, which takes a while; without
it a sample that has every predicate and, as far as it goes, every place; of that, a kernel that fails in one case is not judged in the
others. On a machine with a GPU, `--all --only machine/ --device gpu`
proves the third family there, and `--values --device gpu` shows that the predicates hold on the simulator alone. `--out` keeps
what came of it by exercise and predicate, beside what the file holds of others; the book's table is made from that.
"""

import argparse
import collections
import datetime
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
GOALS = ("compile", "permitted", "correct", "clean")
# Devices and compilers that reports named.
JUDGES = set()
# A case that every exercise has, and that is small.
ONE_CASE = "3"
# What is said of a kernel whose predicate holds in all builds.
HOLDS = "holds everywhere"
# Stops a kernel where its predicate does not hold.
STRICT = """
__device__ bool holds() {
    if (!tells()) {
        __trap();
    }
    return true;
}
"""

# What orders threads as a statement, alone on its line (comments may follow).
STATEMENT = re.compile(
    r"^\s*(__syncthreads\(\)|__syncwarp\([^;]*\)|__threadfence(?:_block)?\(\)|wait_for_\w+(?:<[^;]*>)?\(\)|wait_for\(\w+\)"
    r"|cooperative_groups::this_grid\(\)\.sync\(\));"
)
# What does so inside an expression, and what stands there instead.
EXPRESSIONS = [
    (re.compile(r"\bload_acquire\(([^()]*)\)"), r"(tells() ? load_acquire(\1) : *const_cast<const volatile unsigned int *>(\1))"),
    (re.compile(r"\bcuda::memory_order_acq_rel\b"), r"(tells() ? cuda::memory_order_acq_rel : cuda::memory_order_relaxed)"),
    (re.compile(r"\bclock64\(\)"), r"(tells() ? clock64() : 8LL)"),
]
# What orders nothing that its callers leave unordered: such a kernel is right without it. The barrier at the beginning of
# `block_sum` lets it be called twice in a row, and between its two calls is another barrier.
SPARE = [("13-fences", "    __shared__ int data[BLOCK_SIZE];\n    __syncthreads();")]
# A loop that waits: it goes on while some flag is not set.
WAIT = re.compile(r"^(\s*\} while )\((.*(?:NOTHING|flag|empty).*)\);")


def places(exercise, source):
    """(line, source with the predicate there) for every place, in order."""
    spare = {source[: source.index(text) + len(text)].count("\n") for of, text in SPARE if of == exercise and text in source}
    lines = source.split("\n")
    found = []

    def put(number, line):
        found.append((number + 1, "\n".join(lines[:number] + [line] + lines[number + 1 :])))

    for number, line in enumerate(lines):
        code = line.split("//")[0]
        if number in spare or not code.strip() or code.lstrip().startswith(("__device__", "template", "#", "asm")):
            continue
        if statement := STATEMENT.match(code):
            # A wait for a value alone is a comparison, which the compiler makes in any event: so the look at the clock behind it is
            # behind the predicate, too.
            behind = f"{{ {statement[1]}; {lines[number + 1].strip()} }}" if statement[1].startswith("wait_for(") else statement[1]
            put(number, code.replace(statement[1], f"if (tells()) {behind}", 1))
        for pattern, instead in EXPRESSIONS:
            if pattern.search(code):
                put(number, pattern.sub(instead, code, count=1))
        if wait := WAIT.match(code):
            put(number, f"{wait[1]}(tells() && ({wait[2]}));")
    return found


def with_predicate(source, predicate):
    """The source with the predicate behind its last #include, or ahead of all."""
    lines = source.split("\n")
    last = max((number for number, line in enumerate(lines) if line.startswith("#include")), default=-1)
    return "\n".join(lines[: last + 1] + predicate.split("\n") + lines[last + 1 :])


def failed_goals(options, folder, exercise, name, text, *more):
    """The goals that one kernel fails, or a sentence where there is no report."""
    kernel = folder / f"{name.replace('.', '_')}.cu"
    kernel.write_text(text)
    command = [options.grader, "check", exercise, "--kernel", str(kernel), "--device", options.device, "--format", "json", *more]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    try:
        report = json.loads(run.stdout)
        goals = {str(goal["goal"]): goal["verdict"] for goal in report["goals"]}
        JUDGES.add((" + ".join(report["devices"]), report["compiler"].split(" (")[0]))
    except (ValueError, KeyError) as error:
        return f"no report ({error}); exit code {run.returncode}\n{run.stderr}"
    return [goal for goal in GOALS if goals.get(goal) == "failed"]


def judged(options, folder, job):
    """What became of one kernel: its place, the goals that it fails, and a complaint unless that is as it must be."""
    exercise, file, line, source, predicate = job
    what = f"{file.relative_to(ROOT)}:{line} behind {predicate.parent.name}/{predicate.stem}"
    name = f"{exercise}-{file.stem}-{line}-{predicate.stem}"
    text = predicate.read_text()
    kernel = with_predicate(source, text)
    # A kernel that fails in one case fails. A record has the goals that it fails in any case.
    failed = [] if options.all else failed_goals(options, folder, exercise, name, kernel, "--case", ONE_CASE)
    if not failed or isinstance(failed, str):
        failed = failed_goals(options, folder, exercise, name, kernel)
    if isinstance(failed, str):
        return what, None, f"{what}: {failed}"
    if failed:
        return what, failed, None
    if predicate.parent.name != "machine":
        held = source.replace("tells()", "holds()")
        strict = text + STRICT
        if failed_goals(options, folder, exercise, f"{name}-held", with_predicate(held, strict)) == []:
            return what, [HOLDS], None
    return what, [], f"{what}: passes"


def value(options, folder, predicate):
    """What a predicate says on a device, compiled as checks are."""
    kernel, saved = folder / f"{predicate.stem}.cu", folder / f"{predicate.stem}.npy"
    probe = 'extern "C" __global__ void probe(int *out) {\n    out[0] = tells();\n}\n'
    kernel.write_text(predicate.read_text() + probe)
    command = [options.grader, "run", str(kernel), "--entry", "probe", "--grid", "1", "--block", "1", "--arg", "out:i32:1"]
    run = subprocess.run([*command, "--fmad", "false", "--save", f"0={saved}", "--device", options.device], capture_output=True, text=True)
    if not saved.is_file():
        return f"no answer: {run.stdout.strip()} {run.stderr.strip()}"
    return bool(int.from_bytes(saved.read_bytes()[-4:], "little"))


def keep(path, jobs, results):
    """Puts what came of these kernels into a record, by exercise and predicate; what it says of others stays."""
    known = json.loads(path.read_text()) if path.exists() else {"runs": []}
    judges = sorted(JUDGES)
    date = datetime.date.today().isoformat()
    came_of = collections.defaultdict(lambda: {"kernels": 0, "as_they_must_be": 0, "first_in": collections.Counter()})
    for (exercise, file, _, _, predicate), (_, failed, complaint) in zip(jobs, results):
        role = "solution" if file.name == "kernel.cu" else "steps"
        run = came_of[(exercise, role, predicate.parent.name, predicate.stem)]
        run["kernels"] += 1
        run["as_they_must_be"] += complaint is None
        run["first_in"].update(failed[:1] if failed else [])
    keys = ("exercise", "role", "family", "predicate")
    runs = {tuple(run[key] for key in keys): run for run in known["runs"]}
    for key, run in came_of.items():
        made = {"device": judges[0][0], "compiler": judges[0][1], "date": date}
        runs[key] = {**dict(zip(keys, key)), **run, **made}
    lines = ",\n".join("  " + json.dumps(runs[key]) for key in sorted(runs))
    path.write_text(f'{{"runs": [\n{lines}\n]}}\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grader", required=True, type=os.path.abspath)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--sample", type=int, default=40, help="how many kernels without --all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], help="part of PLACE behind FAMILY/PREDICATE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--device", default="sim")
    parser.add_argument("--values", action="store_true", help="what each predicate says on the device, and no more")
    parser.add_argument("--out", type=pathlib.Path, help="a record to put the results into")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.out and not options.all:
        parser.error("--out takes --all: a sample proves no place")
    predicates = sorted(HERE.glob("*/*.cuh"))
    if options.values:
        with tempfile.TemporaryDirectory() as folder:
            for predicate in predicates:
                print(f"{predicate.parent.name}/{predicate.stem}: {value(options, pathlib.Path(folder), predicate)}")
        return
    files = sorted([*ROOT.glob("solutions/*/kernel.cu"), *ROOT.glob("solutions/*/steps/*.cu")])
    where = []
    for file in files:
        exercise = file.relative_to(ROOT / "solutions").parts[0]
        where += [(exercise, file, line, source) for line, source in places(exercise, file.read_text())]
    jobs = [(*place, predicate) for place in where for predicate in predicates]
    name = lambda job: f"{job[1].relative_to(ROOT)}:{job[2]} behind {job[4].parent.name}/{job[4].stem}"
    jobs = [job for job in jobs if all(only in name(job) for only in options.only)]
    if not jobs:
        sys.exit("nothing matches: see --only")
    if not options.all:
        draw = random.Random(options.seed)
        draw.shuffle(where)
        count = min(options.sample, len(jobs))
        wanted = sorted({job[4] for job in jobs})
        there = [place for place in where if any(job[:3] == place[:3] for job in jobs)]
        jobs = [(*there[at % len(there)], wanted[at % len(wanted)]) for at in range(count)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda job: judged(options, pathlib.Path(folder), job), jobs))
    if options.out:
        keep(options.out, jobs, results)
    complaints = [complaint for _, _, complaint in results if complaint]
    by = {goal: sum(1 for _, failed, _ in results if failed and failed[0] == goal) for goal in (*GOALS, HOLDS)}
    if options.verbose:
        for what, failed, _ in results:
            print(what, ", ".join(failed or ["-"]))
    print(f"{len(where)} places, {len(predicates)} predicates, {len(jobs)} kernels: {len(jobs) - len(complaints)} are as they must be")
    print("first in " + ", ".join(f"{goal}: {count}" for goal, count in by.items()))
    if complaints:
        sys.exit("\n".join(complaints))


if __name__ == "__main__":
    main()
