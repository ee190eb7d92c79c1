#!/usr/bin/env python3
"""Asks an assembler in which orders it takes the modifiers of each instruction in `decode/orders.txt`.

    orders.py PTXAS           ends with 1 if it refuses an order that the file lists, or makes another program of it
    orders.py PTXAS --all     prints every order that it takes for the same, of instructions with at most six modifiers

PTXAS is the path of `ptxas`; the file was made with that of CUDA 12.8. Nothing is optimised, so that each instruction is in the program.
"""

import argparse
import concurrent.futures
import itertools
import pathlib
import subprocess
import sys
import tempfile

FORMS = pathlib.Path(__file__).resolve().parents[2] / "src/decode/orders.txt"
# Any instruction among registers of all widths, as the test of `decode` has it.
KERNEL = """.version 8.7
.target sm_90a
.address_size 64
.shared .align 128 .b8 s[4096];
.visible .entry k(.param .u64 o)
{{
.reg .pred %p<99>;
.reg .b16 %rs<99>;
.reg .b16 %h<99>;
.reg .b32 %r<99>;
.reg .f32 %f<99>;
.reg .f64 %fd<99>;
.reg .b64 %rd<99>;
{instruction};
ret;
}}
"""


def assembled(ptxas, mnemonic, operands):
    """The program's bytes; none where the assembler refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        # The program names its source, so that has one name.
        (pathlib.Path(folder) / "k.ptx").write_text(KERNEL.format(instruction=f"{mnemonic} {operands}"))
        command = [ptxas, "-O0", "-arch=sm_90a", "-o", "k.cubin", "k.ptx"]
        if subprocess.run(command, cwd=folder, capture_output=True).returncode:
            return None
        return (pathlib.Path(folder) / "k.cubin").read_bytes()


def look(ptxas, line, every):
    """What is to be said of a line of the file."""
    usual, _, listed = line.partition(" | ")
    mnemonic, _, operands = usual.partition(" ")
    right = assembled(ptxas, mnemonic, operands)
    if right is None:
        return [f"refused: {usual}"]
    takes = lambda order: assembled(ptxas, order, operands) == right
    if not every:
        return [f"not the same: {order} for {usual}" for order in listed.split() if not takes(order)]
    first, *modifiers = mnemonic.split(".")
    if len(modifiers) > 6:
        return []
    orders = {".".join([first, *order]) for order in itertools.permutations(modifiers)} - {mnemonic}
    return [f"{usual} | {' '.join(order for order in sorted(orders) if takes(order))}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ptxas", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    if not given.ptxas.is_file():
        raise SystemExit(f"{given.ptxas} is no file: give the path of ptxas")
    lines = [line for line in FORMS.read_text().splitlines() if not line.startswith("#")]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = [said for all_of_it in pool.map(lambda line: look(given.ptxas.resolve(), line, given.all), lines) for said in all_of_it]
    print("\n".join(found), end="\n" if found else "")
    if not given.all:
        print(f"{len(lines)} instructions asked, {len(found)} complaints")
        sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
