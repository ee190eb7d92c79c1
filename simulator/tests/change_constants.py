#!/usr/bin/env python3
"""Whether the simulator's tests see a constant that is wrong: each of these is changed in a copy of the sources, and some test must fail.

    change_constants.py [NAME…]

The copy is of the last commit; it and what is built of it lie in `target/changed`. The unit tests come first: where one fails, no other is
built. A constant is one minute's work if a unit test notices it, and five if none does. One that no test notices is named, and makes the
exit status 1.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "target" / "changed"

# Name, file below `simulator/src`, what is there, what it becomes. What is no `const` in the sources is named by what it is.
CHANGES = [
    ("sector-shift", "memory/traffic.rs", "let sector = addresses[lane] >> 5;", "let sector = addresses[lane] >> 6;"),
    ("SECTOR_BYTES", "counters.rs", "SECTOR_BYTES: u64 = 32", "SECTOR_BYTES: u64 = 64"),
    ("banks", "memory/traffic.rs", "let bank = (word & 31) as usize;", "let bank = (word & 15) as usize;"),
    ("LINE", "memory/traffic.rs", "LINE: u64 = 128", "LINE: u64 = 256"),
    ("LINES_AT_ONCE", "memory/traffic.rs", "LINES_AT_ONCE: usize = 4", "LINES_AT_ONCE: usize = 2"),
    ("tile-CHUNK", "memory/tile.rs", "CHUNK: u32 = 128", "CHUNK: u32 = 64"),
    ("tile-SECTOR", "memory/tile.rs", "SECTOR: u64 = 32", "SECTOR: u64 = 64"),
    ("REGISTER_UNIT", "occupancy.rs", "REGISTER_UNIT: u32 = 256", "REGISTER_UNIT: u32 = 512"),
    ("PARTS", "occupancy.rs", "PARTS: u32 = 4", "PARTS: u32 = 2"),
    ("MOST_ARRIVALS", "memory/mbarrier.rs", "MOST_ARRIVALS: u32 = (1 << 20) - 1", "MOST_ARRIVALS: u32 = (1 << 20)"),
    ("PARAMETER_BYTES", "ir/program.rs", "PARAMETER_BYTES: u32 = 32_764", "PARAMETER_BYTES: u32 = 32_768"),
    ("matrix-KEPT", "exec/matrix/multiply.rs", "KEPT: f64 = (1 << 25) as f64", "KEPT: f64 = (1 << 24) as f64"),
    ("float-NAN", "exec/alu/float.rs", "NAN: f32 = f32::from_bits(0x7FFF_FFFF)", "NAN: f32 = f32::from_bits(0x7FC0_0000)"),
    ("half-NAN", "exec/alu/half.rs", "NAN: u16 = 0x7FFF", "NAN: u16 = 0x7E00"),
    ("MAP_ALIGNMENT", "exec/tensor.rs", "MAP_ALIGNMENT: u64 = 64", "MAP_ALIGNMENT: u64 = 32"),
    ("MOST_CALLS", "exec/call.rs", "MOST_CALLS: u32 = 1024", "MOST_CALLS: u32 = 1025"),
    ("CHUNK_BYTES", "exec/matrix/group/layout.rs", "CHUNK_BYTES: u32 = 16", "CHUNK_BYTES: u32 = 32"),
    ("filter-WHOLE", "exec/texture/filter.rs", "WHOLE: u32 = 256", "WHOLE: u32 = 128"),
    ("multiprocessors", "profile.rs", "multiprocessors: 132", "multiprocessors: 131"),
]


def tests():
    """The simulator's tests on the copy, up to a kind of which one fails: whether all passed, and the names of those that failed."""
    for kind in (["--lib"], ["--tests"]):
        command = ["cargo", "test", "-p", "warpsim", *kind, "--no-fail-fast"]
        done = subprocess.run(command, cwd=COPY / "sources", capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        if "could not compile" in said:
            raise SystemExit(f"{said}\nthe copy does not compile: correct CHANGES")
        if done.returncode != 0:
            return False, re.findall(r"^test (.+) \.\.\. (?:FAILED|failed)", said, re.MULTILINE)
    return True, []


def main():
    asked = sys.argv[1:]
    unknown = set(asked) - {name for name, *_ in CHANGES}
    if unknown:
        raise SystemExit(f"no such constant: {' '.join(sorted(unknown))}; known are {' '.join(name for name, *_ in CHANGES)}")
    shutil.rmtree(COPY / "sources", ignore_errors=True)
    subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
    subprocess.run(["git", "worktree", "add", "--detach", "--force", COPY / "sources"], cwd=ROOT, check=True, capture_output=True)
    # Where the copy finds what is built already.
    (COPY / "sources" / "target").symlink_to(COPY / "target")
    (COPY / "target").mkdir(exist_ok=True)
    missed = []
    try:
        passed, failed = tests()
        if not passed:
            raise SystemExit(f"unchanged, these tests fail already: {' '.join(failed)}")
        for name, file, old, new in CHANGES:
            if asked and name not in asked:
                continue
            begun = time.monotonic()
            path = COPY / "sources" / "simulator" / "src" / file
            text = path.read_text()
            if text.count(old) != 1:
                raise SystemExit(f"{path}: `{old}` stands there {text.count(old)} times and must once: correct CHANGES")
            path.write_text(text.replace(old, new))
            passed, failed = tests()
            path.write_text(text)
            if passed:
                missed.append(name)
            told = "missed" if passed else f"at least {len(failed)} tests fail, {', '.join(failed[:2])}"
            print(f"{name}: {told} ({time.monotonic() - begun:.0f} s)", flush=True)
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", COPY / "sources"], cwd=ROOT, check=False, capture_output=True)
    if missed:
        raise SystemExit(f"no test sees that these are wrong: {' '.join(missed)}")


if __name__ == "__main__":
    main()
