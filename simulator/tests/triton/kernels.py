"""Kernels in Triton, as its tutorials have them: nobody here wrote the PTX that it makes of them."""

import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + at, mask=at < columns, other=-float("inf"))
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + at, values / tl.sum(values, axis=0), mask=at < columns)


@triton.jit
def layer_norm(x, weight, bias, out, columns, stride, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += tl.load(x + row * stride + at, mask=at < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        values = tl.load(x + row * stride + at, mask=at < columns, other=0.0)
        squares += tl.where(at < columns, (values - mean) * (values - mean), 0.0)
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        inside = at < columns
        values = tl.load(x + row * stride + at, mask=inside, other=0.0)
        values = (values - mean) * scale * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside)
        tl.store(out + row * stride + at, values, mask=inside)


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, k, K):
        x = tl.load(a + rows[:, None] * k + (first + depth)[None, :])
        y = tl.load(b + (first + depth)[:, None] * n + columns[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total)
