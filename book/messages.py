#!/usr/bin/env python3
"""Makes the messages that chapters quote, by judging the wrong kernels they come from.

A chapter includes `../generated/messages/EXERCISE/WRONG.txt`; this runs solutions/EXERCISE/wrong/WRONG.cu on the
simulator and writes one error in the grader's own words, of the kind that the kernel's header names first, and the goals
that failed. A kernel that passes with a warning lies in book/examples/EXERCISE; then the warning is what is written. A page
includes `generated/runs/NAME.txt`, what a command of RUNS prints. Nothing in those files is typed by hand: delete the
folders and run this again.

    python3 book/messages.py [--grader target/debug/grader] [--check]
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "book/src/generated/messages"
INCLUDE = re.compile(r"generated/messages/([\w-]+)/([\w-]+)\.txt")

RUNS_FOLDER = ROOT / "book/src/generated/runs"
TILE = "--grid 4 --block 256 --arg in:f32:1000=iota --arg out:f32:1000 --arg u32:1000 --device sim"
# Where the finding that the README quotes comes from.
REPORT = RUNS_FOLDER / "report.txt"
# By name: the arguments of `grader` whose output a page includes.
RUNS = {
    "report": "check 03-reduction --kernel solutions/03-reduction/wrong/missing-barrier-after-load.cu --device sim",
    "rust-static": f"run book/examples/rust/tile.ptx --entry reverse_static {TILE}",
    "rust-too-early": f"run book/examples/rust/tile.ptx --entry reverse_too_early {TILE}",
}


def wanted():
    """The (exercise, wrong kernel) pairs that chapters include."""
    chapters = sorted((ROOT / "book/src/chapters").glob("*.md"))
    return sorted({pair for chapter in chapters for pair in INCLUDE.findall(chapter.read_text())})


def kernel_of(exercise, name):
    """The kernel's path, and the exit code that its check must have."""
    wrong = f"solutions/{exercise}/wrong/{name}.cu"
    return (wrong, 1) if (ROOT / wrong).is_file() else (f"book/examples/{exercise}/{name}.cu", 0)


def judged(grader, exercise, name, form):
    kernel, expected = kernel_of(exercise, name)
    command = [grader, "check", exercise, "--kernel", kernel, "--device", "sim", "--format", form]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode != expected:
        sys.exit(f"{' '.join(command)}: exit code {run.returncode}, expected {expected}\n{run.stdout}{run.stderr}")
    return run.stdout


def message(grader, exercise, wrong):
    report = json.loads(judged(grader, exercise, wrong, "json"))
    text = judged(grader, exercise, wrong, "text")
    lines = []
    # A finding ends where the next one, the list of cases or the table begins.
    kernel, expected = kernel_of(exercise, wrong)
    severity = "error" if expected == 1 else "warning"
    errors = re.findall(rf"^{severity}\[.*?(?=^(?:error|warning|note)\[|^case \d|^─)", text, re.MULTILINE | re.DOTALL)
    if severity == "warning" and not errors:
        sys.exit(f"{kernel}: expected a warning, found none\n{text}")
    if errors:
        # What the wrong kernel is about comes first among the kinds that its header names.
        header = (ROOT / kernel).read_text().partition("\n")[0]
        kind = (re.findall(r"clean/(\w+)", header) or [""])[0]
        errors.sort(key=lambda error: not error.startswith(f"error[{kind}]"))
        lines += [errors[0].rstrip(), ""]
        if len(errors) > 1:
            lines += [f"… and {len(errors) - 1} more", ""]
    case = re.search(r"^case \d.*\n(?:  .*\n)+", text, re.MULTILINE)
    if case:
        lines += [case.group(0).rstrip(), ""]
    for goal in report["goals"]:
        if goal["required"] and goal["verdict"] == "failed":
            lines.append(f"✗ {goal['goal']}: asked {goal['asked_in_words']}")
            lines.append(f"  found {goal['found_in_words']}")
    return "\n".join(lines).rstrip() + "\n"


def ran(grader, arguments):
    """What a command prints, whatever its exit code: a run with findings fails."""
    run = subprocess.run([grader, *arguments.split()], cwd=ROOT, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"grader {arguments}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grader", default=str(ROOT / "target/debug/grader"))
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if something would change")
    options = parser.parse_args()
    if not pathlib.Path(options.grader).is_file():
        sys.exit(f"there is no {options.grader}\nnext: cargo build --package grader, or name the binary with --grader")
    stale = []
    pairs = wanted()
    texts = [(FOLDER / exercise / f"{wrong}.txt", message(options.grader, exercise, wrong)) for exercise, wrong in pairs]
    texts += [(RUNS_FOLDER / f"{name}.txt", ran(options.grader, arguments)) for name, arguments in RUNS.items()]
    for path, text in texts:
        if path.is_file() and path.read_text() == text:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    print(f"{len(texts)} messages, {len(stale)} {'stale' if options.check else 'written'}")
    for path in stale:
        print(f"  {path}")
    if options.check and stale:
        sys.exit("next: python3 book/messages.py, and look at the difference")
    excerpt = re.search(r"^```text\n(error\[.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    if not excerpt or excerpt.group(1) not in REPORT.read_text():
        sys.exit(f"README.md: the message it quotes is not in {REPORT.relative_to(ROOT)}\nnext: copy it from there")


if __name__ == "__main__":
    main()
