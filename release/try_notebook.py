"""Runs the notebook in a Jupyter kernel of this Python environment, cell by cell, as hosted Jupyter does.

    python release/try_notebook.py NOTEBOOK FOLDER      FOLDER holds the wheel; needs nbclient and ipykernel

First as it is handed out, with the stub; then with a solution in the stub's place, which must pass.
"""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

import notebook as made

SECONDS_FOR_A_CELL = 300


def main(path, folder):
    handed_out = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(handed_out)
    if (handed_out.nbformat, handed_out.nbformat_minor) != (4, 5):
        sys.exit(f"{path} is of format {handed_out.nbformat}.{handed_out.nbformat_minor} instead of 4.5")

    said = run(handed_out, folder)
    expect(said["kernel"], "Overwriting", "a stub in the place that `init` made")
    expect(said["check"], "not started: this is the stub as it came", "the stub's verdict")

    grader = Path(sys.executable).parent / "grader"
    solution = [grader, "solution", made.EXERCISE, "--give-up"]
    source = subprocess.run(solution, cwd=folder / "course", check=True, text=True, capture_output=True).stdout
    cell = next(cell for cell in handed_out.cells if cell.id == "kernel")
    cell.source = made.kernel(source)
    said = run(handed_out, folder)
    expect(said["check"], "passed", "a pass of the solution")
    expect(said["check"], made.EXERCISE, "the exercise's name")


def run(notebook, folder):
    """What each cell printed, by its id."""
    client = NotebookClient(
        notebook,
        timeout=SECONDS_FOR_A_CELL,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return {cell.id: plain("".join(output.get("text", "") for output in cell.outputs)) for cell in code}


def plain(text):
    """Without colours: a cell's program writes to a terminal."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)


def expect(text, words, what):
    if words not in text:
        sys.exit(f"expected {what} ({words!r}), found:\n{text}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
