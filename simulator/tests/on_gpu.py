#!/usr/bin/env python3
"""Runs the clean kernels of pass/ and corpus/ on the simulator and on this machine's GPU, and compares what they leave in memory.

    on_gpu.py [--jobs N] GRADER [PATTERN…]      needs NumPy; ends with 1 if a kernel differs

GRADER is the built command. A PATTERN is a part of a kernel's path, such as textures/; without one, all are run. All buffers that a
kernel's arguments name are compared, element by element; what nothing writes is zero on both. `on_gpu.toml` lists what cannot be
compared so, and why.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
# Arguments with memory of their own; `same:` is another one's.
BUFFERS = ("in", "out", "inout", "texture", "surface", "tensormap")
SECONDS = 120


def launch(text):
    """The options of `grader run` for a kernel, without the device, and which of its arguments are buffers."""
    words = " ".join(re.findall(r"^//@ run (.*)$", text, re.MULTILINE)).split()
    if "--device" in words:
        at = words.index("--device")
        del words[at : at + 2]
    words = [re.sub(r"^((?:tensormap:[^:]*:)?)out:(.*)$", r"\1inout:\2=zeros", word) for word in words]
    arguments = [words[at + 1] for at, word in enumerate(words) if word == "--arg"]
    buffers = [at for at, argument in enumerate(arguments) if argument.split(":")[0] in BUFFERS and "same:" not in argument]
    # What warpgroups do belongs to one architecture.
    if ("wgmma" in text or "setmaxnreg" in text) and "--arch" not in words:
        words += ["--arch", "90a"]
    return words, buffers


def outputs(grader, kernel, device, folder):
    """What a launch leaves in its buffers; or none, and what became of it."""
    words, buffers = launch(kernel.read_text())
    # A product and a sum stay two operations, as in the build that the simulator looks for findings in.
    command = [grader, "run", "--format", "json", "--fmad", "false", "--device", device, *words, str(kernel)]
    for buffer in buffers:
        command += ["--save", f"{buffer}={folder}/{buffer}.npy"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"it does not end in {SECONDS} seconds"
    if done.returncode:
        found = re.search(r'"(?:detail|message)": "(.*)"', done.stdout)
        return None, found[1] if found else done.stderr.strip()
    return {buffer: np.load(f"{folder}/{buffer}.npy").reshape(-1) for buffer in buffers}, None


def differences(grader, kernel, nearly, compares):
    """The lines that say what differs."""
    with tempfile.TemporaryDirectory() as folder:
        simulated, why = outputs(grader, kernel, "sim:h200", folder)
        if why:
            return [f"on the simulator: {why}"]
        measured, why = outputs(grader, kernel, "gpu:0", folder)
        if why:
            return [f"on the GPU: {why}"]
    lines = []
    for buffer, expected in simulated.items() if compares else ():
        got = measured[buffer]
        if expected.dtype.kind == "f":
            same = np.isclose(got, expected, rtol=nearly.get("relative", 0), atol=nearly.get("absolute", 0), equal_nan=True)
        else:
            same = got == expected
        for at in np.flatnonzero(~same):
            lines.append(f"argument {buffer}, element {at}: the simulator has {expected[at]}, the GPU {got[at]}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("grader")
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--jobs", type=int, default=8)
    given = parser.parse_args()
    known = tomllib.loads((HERE / "on_gpu.toml").read_text())
    uncompared = known["otherwise"] | dict.fromkeys(known["order"]["kernels"], "who comes first decides what is left")

    kernels = {str(path.relative_to(HERE).with_suffix("")): path for path in sorted([*HERE.glob("pass/*.cu"), *HERE.glob("corpus/*/*.cu")])}
    is_clean = lambda name, path: name.startswith("pass/") or re.search(r"^//! clean$", path.read_text(), re.MULTILINE)
    is_wanted = lambda path: not given.patterns or any(part in str(path) for part in given.patterns)
    chosen = [name for name, path in kernels.items() if name not in known["never"] and is_clean(name, path) and is_wanted(path)]
    if not chosen:
        raise SystemExit("no kernel has such a path: give a part of one, such as textures/")
    look = lambda name: differences(given.grader, kernels[name], known["nearly"].get(name, {}), name not in uncompared)
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for name, lines in zip(chosen, pool.map(look, chosen)):
            if lines:
                wrong += 1
                print(f"✗ {name}\n  " + "\n  ".join(lines[:4]), flush=True)
    compared = [name for name in chosen if name not in uncompared]
    print(f"{len(chosen)} kernels run, {len(compared)} of them compared, {wrong} not as on the simulator")
    for why, count in collections.Counter(uncompared[name] for name in chosen if name in uncompared).items():
        print(f"not compared: {count}, for {why}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
