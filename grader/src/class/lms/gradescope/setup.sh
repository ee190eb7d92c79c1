#!/usr/bin/env bash
# Gradescope runs this once, when it builds the autograder's image. The archive that you upload has, at its root, this file,
# run_autograder, assignment.toml, and the grader's wheel: cuda_grader-*.whl, from the release. The wheel brings the compiler.
# Written after the documentation, and not tried on a live Gradescope.
set -euo pipefail
apt-get update
apt-get install --yes --no-install-recommends python3-venv
rm -rf /var/lib/apt/lists/*
python3 -m venv /opt/cuda-grader
/opt/cuda-grader/bin/pip install --no-cache-dir /autograder/source/cuda_grader-*.whl
