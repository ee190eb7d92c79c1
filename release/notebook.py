"""The notebook for hosted Jupyter: installs the wheel beside it, begins a course folder, checks a kernel.

It is made from the stub as the course has it, so that the two can't differ. `release/try_notebook.py` runs it.
"""

import json

EXERCISE = "03-reduction"

BEGIN = """# A course on CUDA shared memory, with a judge

You write a CUDA kernel in a cell. `grader` says whether it is right, whether it is *clean* (no race, no divergent
barrier, no stray access), and how much memory traffic it causes. It needs no GPU; where this runtime has one, it uses it.

Upload the wheel, `cuda_grader-….whl`, into the folder of this notebook. Then run the cells from the top."""

INSTALL = """import os, sys, sysconfig
os.environ["PATH"] = sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"]
!{sys.executable} -m pip install --quiet cuda_grader-*.whl
!grader --version"""

FOLDER = """The course folder holds the stub of every exercise. What you wrote in it is never overwritten."""

INIT = """!grader init course
%cd course"""

WRITE = f"""The next cell writes your kernel's file. Write your code between the marks, run the cell, and then the one below it:
again and again, until it passes. `!grader hint {EXERCISE}` has a first hint."""

CHECK = f"""!grader check {EXERCISE}"""

GO_ON = """`!grader list` shows all exercises, `!grader check NAME --profile` what each line of a kernel costs, and
`!grader doctor` what this machine has and lacks. This runtime's files are gone when it ends: keep what
`!grader submit` packs."""


def text(root):
    """The notebook's text, in nbformat 4.5."""
    stub = (root / "exercises" / EXERCISE / "kernel.cu").read_text()
    cells = [
        markdown("begin", BEGIN),
        code("install", INSTALL),
        markdown("folder", FOLDER),
        code("init", INIT),
        markdown("write", WRITE),
        code("kernel", kernel(stub)),
        code("check", CHECK),
        markdown("go-on", GO_ON),
    ]
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def kernel(source):
    """The cell that writes a kernel."""
    return f"%%writefile {EXERCISE}/kernel.cu\n{source.rstrip()}"


def markdown(name, source):
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": lines(source)}


def code(name, source):
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": {},
        "outputs": [],
        "source": lines(source),
    }


def lines(source):
    """As Jupyter writes them: a list, each with its end but the last."""
    return source.splitlines(keepends=True)
