#!/usr/bin/env python3
"""Fills corpus/parse and corpus/execute with the PTX of the simulator's own tests.

Small files only: libFuzzer prefers short inputs, and what a long one exercises a short one mostly does too.
"""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent
MOST_BYTES = 12_000

for target in ("parse", "execute"):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for path in sorted((HERE.parent / "tests").rglob("*.ptx")):
        text = path.read_text()
        if len(text) <= MOST_BYTES:
            head = "//@ fuzz 2 64 1024 0 16\n" if target == "execute" else ""
            name = "-".join(path.relative_to(HERE.parent / "tests").parts)
            (folder / name).write_text(head + text)
            count += 1
    print(f"{folder.relative_to(HERE)}: {count} texts")
