"""The inputs that every tool gets, how each kernel is launched on them, and what must come out."""

import numpy as np


class Case:
    """One algorithm at one size: buffers in order (the last is the output), a trailing scalar, grid, block, check."""

    def __init__(self, algorithm, size):
        self.algorithm, self.size = algorithm, size
        self.name = f"{algorithm} {size}"
        counts = np.arange(size * size if algorithm in ("matmul", "transpose") else size, dtype=np.uint32)
        if algorithm == "matmul":
            a = (counts % 97).astype(np.float32)
            b = (counts % 89).astype(np.float32)
            self.inputs, self.output = [a, b], np.zeros(size * size, np.float32)
            self.scalar, self.grid, self.block = size, (size // 16, size // 16), (16, 16)
            self.expected = (a.reshape(size, size).astype(np.float64) @ b.reshape(size, size).astype(np.float64)).ravel()
        elif algorithm == "reduction":
            self.inputs, self.output = [counts], np.zeros(size // 256, np.uint32)
            self.scalar, self.grid, self.block = None, (size // 256,), (256,)
            self.expected = counts.reshape(-1, 256).sum(axis=1, dtype=np.uint32)
        elif algorithm == "histogram":
            values = (counts * np.uint32(2654435761)) >> np.uint32(7)
            self.inputs, self.output = [values], np.zeros(256, np.uint32)
            self.scalar, self.grid, self.block = None, (size // 4096,), (256,)
            self.expected = np.bincount(values & 255, minlength=256)
        elif algorithm == "transpose":
            values = counts.astype(np.float32)
            self.inputs, self.output = [values], np.zeros(size * size, np.float32)
            self.scalar, self.grid, self.block = size, (size // 32, size // 32), (32, 8)
            self.expected = values.reshape(size, size).T.ravel()
        else:
            raise ValueError(algorithm)

    def check(self, output):
        if not np.allclose(output, self.expected, rtol=1e-5):
            raise SystemExit(f"{self.name}: wrong result")


def parse(arguments):
    """`matmul 128` and so on from a command line."""
    return Case(arguments[0], int(arguments[1]))
