"""What the blind kernels must compute, in NumPy and plain Python integers.

Written from the CUDA and PTX documents, never from the simulator. `data` holds the generators behind a fill `name.npy`,
`references` the functions a kernel's header names: each takes the list of argument values (buffers as arrays with their
initial content, scalars as numbers) plus the device variables set by `--global`, and returns {argument index: expected}.
Expected is an array (every bit counts, except that any NaN equals any NaN), a `Close` or a `Check`.
"""

import math
import zlib
from fractions import Fraction

import numpy as np


class Close:
    """Values within atol + rtol·|expected|."""

    def __init__(self, values, rtol, atol=0.0):
        self.values, self.rtol, self.atol = np.asarray(values), rtol, atol


class Check:
    """A predicate over all saved arrays {index: array}; it returns a complaint or None."""

    def __init__(self, complaint):
        self.complaint = complaint


data = {}
references = {}


def generator(function):
    def make(dtype, shape):
        return function(np.random.default_rng(zlib.crc32(function.__name__.encode())), dtype, shape)

    data[function.__name__] = make
    return function


def reference(function):
    references[function.__name__] = function
    return function


# Data ---------------------------------------------------------------------------------------------------------------


def spread(values, dtype, shape):
    return np.resize(np.array(values, dtype), shape)


def mixed(rng, special, low, high, dtype, shape):
    """Special values first, random ones between low and high (inclusive) after."""
    count = int(np.prod(shape))
    values = list(special)[:count] + [int(v) for v in rng.integers(low, high, max(0, count - len(special)), endpoint=True, dtype=np.int64)]
    return np.array([v & (2 ** (8 * np.dtype(dtype).itemsize) - 1) for v in values], np.dtype(f"u{np.dtype(dtype).itemsize}")).view(dtype).reshape(shape)


@generator
def dividends(rng, dtype, shape):
    return mixed(rng, [-(2**31), 2**31 - 1, 0, 1, -1, -7, 7, -(2**31), 100, -100], -(2**31), 2**31 - 1, dtype, shape)


@generator
def divisors(rng, dtype, shape):
    values = mixed(rng, [3, -3, 7, -(2**31), 2**31 - 1, 2, -2, 1, -30, 30], -1000, 1000, dtype, shape)
    values[np.isin(values, [0, -1])] = 13
    return values


@generator
def words(rng, dtype, shape):
    return mixed(rng, [0, 1, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFF, 0x00FF00FF, 2, 0xDEADBEEF], 0, 2**32 - 1, dtype, shape)


@generator
def more_words(rng, dtype, shape):
    return mixed(rng, [0xFFFFFFFF, 0, 0x80000000, 1, 0x12345678, 0xFF00FF00, 3, 0xCAFEBABE], 0, 2**32 - 1, dtype, shape)


@generator
def shifts(rng, dtype, shape):
    return spread([0, 1, 5, 8, 16, 31, 32, 33, 40, 63, 64, 100, 255, 256, 0x80000001, 0xFFFFFFFF, 2, 30, 29], dtype, shape)


@generator
def long_dividends(rng, dtype, shape):
    return mixed(rng, [-(2**63), 2**63 - 1, 0, 1, -1, 10**18, -(10**18), 2**32, -(2**32)], -(2**62), 2**62, dtype, shape)


@generator
def long_divisors(rng, dtype, shape):
    values = mixed(rng, [3, -3, 10**9, -7, 2**32 + 1, -(2**33), 2**63 - 1, -(2**63), 5], -(10**12), 10**12, dtype, shape)
    values[np.isin(values, [0, -1])] = 13
    return values


@generator
def small_ints(rng, dtype, shape):
    return rng.integers(-50, 50, shape, endpoint=True).astype(dtype)


@generator
def opcodes(rng, dtype, shape):
    return rng.integers(0, 13, shape, endpoint=True).astype(dtype)


@generator
def wide_ints(rng, dtype, shape):
    return mixed(rng, [0, -1, 2**31 - 1, -(2**31), 16777217, -16777219, 127, 128, -129, 65535, 65536, 300], -(2**31), 2**31 - 1, dtype, shape)


@generator
def more_ints(rng, dtype, shape):
    return mixed(rng, [], -(2**31), 2**31 - 1, dtype, shape)


@generator
def byte_values(rng, dtype, shape):
    return rng.integers(0, 255, shape, endpoint=True).astype(dtype)


@generator
def signed_bytes(rng, dtype, shape):
    return mixed(rng, [-128, 127, 0, -1], -128, 127, dtype, shape)


@generator
def shorts(rng, dtype, shape):
    return mixed(rng, [-32768, 32767, 0, -1], -32768, 32767, dtype, shape)


@generator
def uniform(rng, dtype, shape):
    return rng.uniform(-1.0, 1.0, shape).astype(dtype)


@generator
def uniform2(rng, dtype, shape):
    return rng.uniform(-1.0, 1.0, shape).astype(dtype)


def moderate_values(rng, dtype, shape):
    return (np.sign(rng.uniform(-1.0, 1.0, shape)) * 10.0 ** rng.uniform(-3.0, 3.0, shape)).astype(dtype)


@generator
def moderate(rng, dtype, shape):
    return moderate_values(rng, dtype, shape)


@generator
def moderate2(rng, dtype, shape):
    return moderate_values(rng, dtype, shape)


@generator
def moderate3(rng, dtype, shape):
    return moderate_values(rng, dtype, shape)


SPECIALS = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-40, -1e-40, 3.4e38, -3.4e38, 1.5, 1.1754944e-38]


@generator
def special_left(rng, dtype, shape):
    return np.repeat(np.array(SPECIALS, dtype), len(SPECIALS)).reshape(shape)


@generator
def special_right(rng, dtype, shape):
    return np.tile(np.array(SPECIALS, dtype), len(SPECIALS)).reshape(shape)


@generator
def positive(rng, dtype, shape):
    return (10.0 ** rng.uniform(-2.0, 1.3, shape)).astype(dtype)


@generator
def angles(rng, dtype, shape):
    return rng.uniform(-6.0, 6.0, shape).astype(dtype)


@generator
def double_positive(rng, dtype, shape):
    return (10.0 ** rng.uniform(-3.0, 3.0, shape)).astype(dtype)


@generator
def double_any(rng, dtype, shape):
    values = rng.uniform(-20.0, 20.0, shape)
    values[:6] = [0.5, 1.5, -0.5, -2.5, 1e-5, 3.0]
    return values.astype(dtype)


def half_values(rng, dtype, shape):
    return (np.sign(rng.uniform(-1.0, 1.0, shape)) * 2.0 ** rng.uniform(-5.0, 5.0, shape)).astype(dtype)


@generator
def halves(rng, dtype, shape):
    values = half_values(rng, dtype, shape)
    values[:4] = [60000.0, -60000.0, 1.0, 2048.0]
    return values


@generator
def halves2(rng, dtype, shape):
    values = half_values(rng, dtype, shape)
    values[:4] = [30000.0, -30000.0, 0.00048828125, 1.0]
    return values


@generator
def small_bits(rng, dtype, shape):
    return rng.integers(-60, 60, shape).astype(dtype)


@generator
def long_bits(rng, dtype, shape):
    return mixed(rng, [2**63 - 1, 2**62, 0, 1, 2**32, 2**31], -(2**62), 2**62, dtype, shape)


@generator
def brain_floats(rng, dtype, shape):
    # The upper halves of floats, as bits: NumPy has no bfloat16.
    values = rng.uniform(-100.0, 100.0, shape).astype(np.float32)
    values.reshape(-1)[:4] = [0.0, 1.0, -2.0, 1e30]
    return (values.view(np.uint32) >> 16).astype(dtype)


@generator
def small_positive(rng, dtype, shape):
    return rng.uniform(0.5, 8.0, shape).astype(dtype)


@generator
def small_positive2(rng, dtype, shape):
    return rng.uniform(0.5, 8.0, shape).astype(dtype)


@generator
def convertible(rng, dtype, shape):
    special = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, math.nan, math.inf, -math.inf, 3e9, -3e9, 4.5e9, 255.5, 256.0, -1.0, 127.5, -128.5]
    special += [-129.0, 65504.0, 65519.0, 65520.0, 70000.0, 1e-7, -1e-7, 1e-40, 2147483520.0, 2147483648.0, -2147483648.0, 4294967040.0, 3e-8, 0.99]
    values = rng.uniform(-400.0, 400.0, shape)
    values[: len(special)] = special
    return values.astype(dtype)


@generator
def convertible_doubles(rng, dtype, shape):
    special = [0.5, 1.5, 2.5, -0.5, -2.5, math.nan, math.inf, -math.inf, 1e30, -1e30, 2147483647.5, -2147483648.5, 9.3e18, 16777217.0, -16777217.0, 0.1]
    values = rng.uniform(-1e6, 1e6, shape)
    values[: len(special)] = special
    return values.astype(dtype)


@generator
def atomic_start(rng, dtype, shape):
    return np.array([1000, 0, 2**32 - 1, 2**31 - 1, 2**31, 2**32 - 1, 0, 0, 4, 3, 0, 0], dtype)


@generator
def atomic_start64(rng, dtype, shape):
    return np.array([10, 2**63 - 1, -(2**63), -1, 0, 0, 0, 0], dtype)


@generator
def large_magnitudes(rng, dtype, shape):
    return (rng.uniform(-1.0, 1.0, shape) * 10.0 ** rng.uniform(0.0, 4.0, shape)).astype(dtype)


@generator
def taps(rng, dtype, shape):
    return np.array([0.1, -0.2, 0.3, 0.4, -0.5], np.float32)


@generator
def filter_weights(rng, dtype, shape):
    return np.arange(25, dtype=np.int32) * 3 - 20


# Exact helpers ------------------------------------------------------------------------------------------------------


def s32(x):
    return (int(x) + 2**31) % 2**32 - 2**31


def u32(x):
    return int(x) % 2**32


def s64(x):
    return (int(x) + 2**63) % 2**64 - 2**63


def quotient(x, y):
    """C's division: towards zero."""
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


def remainder(x, y):
    return x - quotient(x, y) * y


def rounded(value, mode, digits=24, lowest=-149, largest=float.fromhex("0x1.fffffep127")):
    """A Fraction rounded to a binary format of `digits` significant bits whose smallest step is 2^lowest."""
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    step = Fraction(2) ** max(exponent - digits + 1, lowest)
    scaled = size / step
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    away = {"ru": value > 0, "rd": value < 0, "rz": False}.get(mode)
    if away is None:
        away = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    elif rest == 0:
        away = False
    result = (whole + away) * step
    if result > Fraction(largest):
        outward = mode == "rn" or (mode == "ru" and value > 0) or (mode == "rd" and value < 0)
        result = math.inf if outward else largest
    return math.copysign(float(result), 1.0 if value > 0 else -1.0)


def rounded_float(x, mode, **kind):
    """`rounded` for a float that may be NaN, infinite or a signed zero."""
    return x if math.isnan(x) or math.isinf(x) or x == 0 else rounded(Fraction(x), mode, **kind)


HALF = {"digits": 11, "lowest": -24, "largest": 65504.0}


def to_integer(x, mode, low, high, nan=0):
    if math.isnan(x):
        return nan
    if math.isinf(x):
        return high if x > 0 else low
    value = {"rn": lambda v: round(v), "rz": math.trunc, "ru": math.ceil, "rd": math.floor}[mode](Fraction(x))
    return min(max(value, low), high)


def bits_of(x, kind):
    return int(np.array([x], kind).view(f"i{np.dtype(kind).itemsize}")[0])


def rows(per_element, dtype):
    """[[row values] for each element] as an array of one row per operation."""
    size = np.dtype(dtype).itemsize
    if np.issubdtype(dtype, np.integer):
        mask = 2 ** (8 * size) - 1
        return np.array([[int(v) & mask for v in element] for element in per_element], f"u{size}").T.view(dtype)
    return np.array(per_element, dtype).T


def blocks_of(array, size):
    return np.asarray(array).reshape(-1, size)


# Functional kernels -------------------------------------------------------------------------------------------------


@reference
def int_arithmetic(a, g):
    def element(x, y):
        x, y = int(x), int(y)
        ux, uy = u32(x), u32(y)
        low24 = lambda v: (v + 2**23) % 2**24 - 2**23
        shift = uy & 31
        flags = (x < y) | (x <= y) << 1 | (ux < uy) << 2 | (ux >= uy) << 3 | (x == y) << 4 | (x != 7) << 5
        return [x + y, x - y, x * y, quotient(x, y), remainder(x, y), ux // uy, ux % uy, x & y, x | y, x ^ y, ~x,
                x * y >> 32, ux * uy >> 32, min(x, y), min(ux, uy), max(x, y), max(ux, uy), low24(x) * low24(y),
                (x + y) >> 1, (x + y + 1) >> 1, abs(x - y) + 5, ux << shift, x >> shift, flags]  # fmt: skip

    return {2: rows([element(x, y) for x, y in zip(a[0], a[1])], np.int32)}


def lop3(x, y, z, table):
    result = 0
    for bit in range(32):
        index = (x >> bit & 1) << 2 | (y >> bit & 1) << 1 | (z >> bit & 1)
        result |= (table >> index & 1) << bit
    return result


def permute(x, y, selector, signs):
    source = [(x | y << 32) >> 8 * k & 255 for k in range(8)]
    result = 0
    for k in range(4):
        nibble = selector >> 4 * k & 15
        byte = source[nibble & 7]
        if signs and nibble & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << 8 * k
    return result


def extract(x, position, length, signed):
    if length == 0:
        return 0
    sign = (x >> min(position + length - 1, 31) & 1) if signed else 0
    return sum(((x >> position + k & 1) if k < length and position + k < 32 else sign) << k for k in range(32))


@reference
def bit_tricks(a, g):
    def element(x, y, s):
        x, y, s = int(x), int(y), int(s)
        wide = y << 32 | x
        signed = s32(x)
        leading = (lambda v: v.bit_length() - 1 if v else 2**32 - 1)
        field = min(x & 31, 32 - (s & 31))
        keep = ((1 << field) - 1) << (s & 31)
        inserted = (y & ~keep) | (x << (s & 31) & keep)
        return [32 - x.bit_length(), x.bit_count(), int(f"{x:032b}"[::-1], 2), (x & -x).bit_length(), permute(x, y, y & 0x7777, False),
                (wide << (s & 31)) >> 32, (wide << min(s, 32)) >> 32, wide >> (s & 31), wide >> min(s, 32),
                x << s if s < 32 else 0, x >> s if s < 32 else 0, signed >> min(s, 32),
                extract(x, s & 31, y & 31, False), extract(x, s & 31, y & 31, True), inserted,
                leading(x), leading(u32(~x) if signed < 0 else x), permute(x, y, u32(s << 3), True),
                lop3(x, y, s, 0xE8), lop3(x, y, s, 0x1D)]  # fmt: skip

    return {3: rows([element(*v) for v in zip(*a[:3])], np.uint32)}


@reference
def int64(a, g):
    def element(x, y):
        x, y = int(x), int(y)
        ux, uy = x % 2**64, y % 2**64
        shift = uy & 63
        return [x + y, x - y, x * y, quotient(x, y), remainder(x, y), ux // uy, ux % uy, x * y >> 64, ux * uy >> 64,
                ux << shift, x >> shift, ux >> shift, 64 - ux.bit_length(), ux.bit_count(), int(f"{ux:064b}"[::-1], 2),
                (ux & -ux).bit_length(), min(x, y), max(ux, uy), s32(x) * s32(y),
                (x < y) | (ux < uy) << 1 | (x == y) << 2 | (ux > uy) << 3]  # fmt: skip

    return {2: rows([element(x, y) for x, y in zip(a[0], a[1])], np.int64)}


@reference
def float_rounding(a, g):
    def element(x, y, z):
        fx, fy, fz = Fraction(float(x)), Fraction(float(y)), Fraction(float(z))
        modes = ["rn", "rz", "ru", "rd"]
        values = [rounded(exact, mode) for exact in (fx + fy, fx * fy, fx / fy, fx * fy + fz) for mode in modes]
        # A correctly rounded root of a 24-bit number survives the double rounding through 53 bits.
        root = lambda v: float(np.float32(math.sqrt(abs(float(v)))))
        return values + [rounded(1 / fx, "rn"), root(x), rounded(fx - fy, "rn"), rounded(fx / fy, "rn"), root(y)]

    return {3: rows([element(*v) for v in zip(*a[:3])], np.float32)}


@reference
def float_specials(a, g):
    x, y = a[0], a[1]
    out = np.stack([x + y, x - y, x * y, x / y, np.sqrt(x), np.abs(x), np.copysign(x, y), -x])
    bits = [x < y, x <= y, x > y, x >= y, x == y, x != y, ~(x < y), ~(x >= y), np.isnan(x), np.isinf(x), np.isfinite(x), np.signbit(x)]
    bits += [np.ones(x.shape, bool)] * 2
    flags = sum(b.astype(np.uint32) << np.uint32(k) for k, b in enumerate(bits))
    # The sign of a NaN is nobody's promise.
    sign = np.uint32(1 << 11)
    mask = np.where(np.isnan(x), ~sign, np.uint32(0xFFFFFFFF))
    differs = lambda saved: None if np.array_equal(saved[3] & mask, flags & mask) else f"flags differ at {np.flatnonzero((saved[3] & mask) != (flags & mask))[:5]}"
    return {2: out, 3: Check(differs)}


@reference
def float_functions(a, g):
    p, t = a[0].astype(np.float64), a[1].astype(np.float64)
    f = lambda function, *v: np.array([function(*map(float, e)) for e in zip(*v)])
    product = lambda k: (a[1] * np.float32(k)).astype(np.float64)
    close = [f(math.exp, t), f(math.log, p), f(math.sin, t), f(math.cos, t), f(math.sin, product(30000.0)), f(math.pow, p, t), f(math.tanh, t),
             f(math.atan2, t, p), 1.0 / np.sqrt(p), f(lambda v: 2.0**v, t), f(math.log2, p), f(math.log10, p), np.cbrt(p), f(math.erf, t),
             f(math.expm1, t), f(math.log1p, p), f(math.hypot, p, t), f(math.fmod, product(100.0), p)]  # fmt: skip
    fast = [f(math.exp, t), f(math.log, p), f(math.sin, t), f(math.cos, t), f(math.pow, p, t), t / p]
    rounding = [np.floor(t) + 10 * np.ceil(t) + 100 * np.trunc(t) + 1000 * np.rint(t), np.copysign(np.floor(np.abs(product(2.0)) + 0.5), t)]
    rtol = np.array([8e-7] * len(close) + [3e-6, 2e-6, 2e-6, 2e-6, 4e-5, 1e-6] + [0, 0])[:, None]
    atol = np.array([1e-8] * len(close) + [0, 2e-6, 1e-5, 1e-5, 0, 0] + [0, 0])[:, None]
    return {2: Close(np.stack(close + fast + rounding), rtol, atol)}


@reference
def doubles(a, g):
    p, x = a[0], a[1]
    f = lambda function, *v: np.array([function(*map(float, e)) for e in zip(*v)])
    fused = np.array([rounded(Fraction(float(u)) * Fraction(float(v)) - Fraction(3, 2), "rn", 53, -1074, 1.7976931348623157e308) for u, v in zip(p, x)])
    exact = [p + x, p - x, p * x, x / p, np.sqrt(p), fused, np.floor(x), np.ceil(x), np.trunc(x), np.rint(x), np.abs(x), np.minimum(p, x),
             np.maximum(p, x), f(math.fmod, x, p)]  # fmt: skip
    close = [f(math.exp, x), f(math.log, p), f(math.sin, x), f(math.cos, x), f(math.sin, x * 1e9), f(math.pow, p, x), f(math.tanh, x), f(math.atan, x), 1 / np.sqrt(p)]
    last = [1.0 / p]
    rtol = np.array([0.0] * len(exact) + [1e-15] * len(close) + [0.0])[:, None]
    return {2: Close(np.stack(exact + close + last), rtol, 0.0)}


@reference
def halves(a, g):
    x, y = a[0], a[1]
    f16 = lambda v: v.astype(np.float16)
    wide = lambda v: v.astype(np.float64)
    swapped = x.reshape(-1, 2)[:, ::-1].reshape(-1)
    with np.errstate(over="ignore"):
        out = [f16(wide(x) + wide(y)), f16(wide(x) - wide(y)), f16(wide(x) * wide(y)), f16(wide(x) * wide(y) + wide(x)), f16(wide(x) / wide(y)),
               -x, np.abs(y), np.maximum(x, y), np.minimum(x, y), f16(np.sqrt(np.abs(wide(x)))), f16(np.clip(wide(x) + wide(y), 0.0, 1.0)), swapped]  # fmt: skip
    greater = (x[0::2] > y[0::2]).astype(np.int32) | (x[1::2] <= y[1::2]).astype(np.int32) << 1
    return {2: np.stack(out), 3: greater}


@reference
def bfloat16(a, g):
    def bf16(values, mode="rn"):
        return np.array([rounded(Fraction(float(v)), mode, 8, -133, 3.3895313892515355e38) for v in values])

    x, y = bf16(a[0]), bf16(a[1])
    return {2: np.stack([x, bf16(x + y), bf16(x * y), bf16(x * y + y), np.maximum(x, y), bf16(a[0], "rz")]).astype(np.float32)}


@reference
def conversions(a, g):
    i32, u_32, i64 = (-(2**31), 2**31 - 1), (0, 2**32 - 1), (-(2**63), 2**63 - 1)
    clamp = lambda v, low, high: min(max(v, low), high)
    ints, floats, wide, longs = [], [], [], []
    for x, w, z in zip(a[0], a[1], a[2]):
        x, w, z = float(x), int(w), float(z)
        narrow_w = (w + 32768) % 65536 - 32768
        ints.append([to_integer(x, m, *i32) for m in ("rn", "rz", "ru", "rd")] + [to_integer(x, m, *u_32) for m in ("rn", "rz")]
                    + [to_integer(x, "rz", 0, 255), to_integer(x, "rn", -128, 127), clamp(w, -128, 127), clamp(w, 0, 65535), narrow_w, w & 255,
                       bits_of(x, np.float32), to_integer(z, "rn", *i32, nan=-(2**31))])  # fmt: skip
        floats.append([rounded(Fraction(w), m) for m in ("rn", "rz", "ru", "rd")] + [rounded(Fraction(u32(w)), m) for m in ("rn", "rz")]
                      + [rounded_float(z, m) for m in ("rn", "rz", "ru", "rd")] + [rounded_float(x, m, **HALF) for m in ("rn", "rz", "ru", "rd")]
                      + [0.0 if math.isnan(x) else clamp(x, 0.0, 1.0), float(np.rint(x))])  # fmt: skip
        double = {"digits": 53, "lowest": -1074, "largest": 1.7976931348623157e308}
        wide.append([x, float(w), float(u32(w)), rounded(Fraction(w * 1073741789), "rn", **double), rounded(Fraction(u32(w) * 4294967297), "rz", **double)])
        longs.append([to_integer(z, "rz", *i64, nan=-(2**63)), to_integer(z, "rn", *i64, nan=-(2**63)), bits_of(z, np.float64), w * w])
    return {3: rows(ints, np.int32), 4: rows(floats, np.float32), 5: rows(wide, np.float64), 6: rows(longs, np.int64)}


@reference
def narrow_types(a, g):
    x, y, z = (v.astype(np.int64) for v in a[:3])
    return {3: (x + y).astype(np.int8), 4: (y * 3 - x).astype(np.uint8), 5: (z * x).astype(np.int16), 6: ((z >> 3) + y).astype(np.uint16)}


@reference
def vector_loads(a, g):
    x, y, z, w = a[0].T
    return {1: np.stack([w, x * np.float32(2), y + np.float32(1), -z], axis=1)}


@reference
def vector_types(a, g):
    b, s, p, t = (v.astype(np.int64) for v in a[:4])
    out = np.stack([b[:, 0] + b[:, 1] * 256, s[:, 0] - s[:, 1], p[:, 0] ^ p[:, 1], t.sum(axis=1)], axis=1)
    return {4: out.astype(np.int32), 5: a[0][:, ::-1].copy(), 6: np.stack([p[:, 0], s[:, 1]], axis=1).astype(np.float64)}


@reference
def structs(a, g):
    def element(w, value):
        w = int(w)
        short = lambda v: (v + 32768) % 65536 - 32768
        colours = sum(((w >> 8 * k & 255) + 100 & 255) << 8 * k for k in range(3))
        middle = ((w >> 5) + 1024) % 2048 - 1024
        doubled = bits_of(np.float32(value) * np.float32(2), np.float32)
        taps = short(short(w) - short(w >> 16))
        return [colours, doubled + 201 + taps, bits_of(value, np.float32) ^ 0x80000000, (w & 31) * 1000003 + middle * 101 + (w >> 16), (middle + 1 + 1024) % 2048 - 1024]

    return {2: rows([element(w, v) for w, v in zip(a[0], a[1])], np.uint32)}


@reference
def switch_table(a, g):
    def element(op, v):
        op, v = int(op), int(v)
        table = {0: v + 1, 1: v * 3, 2: v - 7 + v * v, 3: 1000 + v * v, 4: v ^ 0x55, 5: v * 16, 6: -v, 7: (remainder(v, 10) ^ 3) + 17,
                 8: (1000 ^ 3) + 17, 9: 1017, 10: quotient(v, 3), 11: -1}  # fmt: skip
        return table.get(op, 0)

    return {2: np.array([element(*v) for v in zip(a[0], a[1])], np.int32)}


@reference
def function_pointers(a, g):
    operations = [lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, max]
    values = [int(v) for v in a[0]]
    return {
        1: np.array([operations[i % 4](v, i) for i, v in enumerate(values)], np.int32),
        2: np.array([(v * 2.0 if i % 3 else v * 0.5) + 1.0 for i, v in enumerate(values)], np.float32),
    }


@reference
def recursion(a, g):
    fibonacci = lambda n: n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
    ackermann = lambda m, n: n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))
    digits = lambda value, depth: value + ((value + depth) & 3) * depth + (0 if depth == 0 else digits(value // 2, depth - 1))
    return {0: rows([[fibonacci(i % 11), ackermann(i % 3, i % 4), digits(i * 37, i % 12)] for i in range(64)], np.int32)}


@reference
def matmul(a, g):
    return {2: Close(a[0].astype(np.float64) @ a[1].astype(np.float64), 1e-6, 1e-5)}


@reference
def axpy(a, g):
    return {2: Close(a[0] * a[1] + a[2] + 0.25, 1e-15, 1e-14)}


@reference
def lambdas(a, g):
    out = []
    for i, v in enumerate(int(x) for x in a[0]):
        total, evens = i, 0
        for k in range(a[2] + i % 4):
            total = total * 3 + v + k
            evens += k % 2 == 0
        out.append(s32(total + v * evens))
    return {1: np.array(out, np.int32)}


@reference
def virtual_functions(a, g):
    side = a[0]
    square = np.arange(96) % 3 == 0
    area = np.where(square, side * side, side * np.float32(3))
    return {1: np.stack([area + np.where(square, np.float32(400), np.float32(0)), area])}


@reference
def local_arrays(a, g):
    return {1: np.stack([np.roll(np.sort(row), -(i % 12)) for i, row in enumerate(a[0])])}


@reference
def constants(a, g):
    x, i = a[0].astype(np.float64), np.arange(64)
    sums = sum(float(g["taps"][k]) * np.roll(x, -k) for k in range(5)) * 2.5
    table = np.array([3, 1, 4, 1, 5, 9, 2, 6])[i % 8] + np.array([-5, 0, 7])[i % 3]
    letters = np.array([ord(c) for c in "warp"])[i % 4]
    return {1: Close(np.stack([sums, table, letters]), 1e-6, 1e-6)}


@reference
def three_kinds(a, g):
    x, t = blocks_of(a[0], 64).astype(np.int64), np.arange(64)
    return {1: (x[:, t ^ 1] + (x[:, 63 - t] ^ 0xFF) + (x[:, (t + 7) % 64] * 3 >> 1)).astype(np.int32).reshape(-1)}


@reference
def grid_of_3d(a, g):
    where, sizes = np.zeros((12, 60), np.uint32), np.zeros((12, 60), np.uint32)
    for b in range(12):
        for t in range(60):
            where[b, t] = t % 5 | t // 5 % 4 << 4 | t // 20 << 8 | b % 3 << 12 | b // 3 % 2 << 16 | b // 6 << 20
            sizes[b, t] = t % 32 | 32 << 8 | 60 << 16 | 12 << 24
    return {0: where, 1: sizes}


@reference
def transpose(a, g):
    return {1: a[0].T.copy()}


@reference
def scan_blocks_of_128(a, g):
    return {1: np.cumsum(blocks_of(a[0], 128), axis=1).astype(np.int32).reshape(-1)}


@reference
def exclusive_scan(a, g):
    inclusive = np.cumsum(a[0], dtype=np.uint32)
    return {1: inclusive - a[0]}


@reference
def inclusive_scan(a, g):
    return {1: np.cumsum(a[0]).astype(np.int32)}


@reference
def histogram(a, g):
    return {1: np.bincount(a[0], minlength=256).astype(np.uint32)}


def after_atomics32(start, values):
    v = [int(x) for x in values]
    u = [u32(x) for x in v]
    m = [int(x) for x in start]
    m[0] += sum(u)
    m[1] -= sum(u)
    m[2] = min([m[2], *u])
    m[3] = min([s32(m[3]), *v])
    m[4] = max([s32(m[4]), *v])
    for x in u:
        m[5] &= x | 0xF0
        m[6] |= x & 0xFF00
        m[7] ^= x
        m[8] = 0 if m[8] >= 9 else m[8] + 1
        m[9] = 6 if m[9] == 0 or m[9] > 6 else m[9] - 1
    m[10] = max([m[10], *u])
    m[11] += 3 * len(u)
    return [u32(x) for x in m]


@reference
def atomics32(a, g):
    local = [0, 0, 2**32 - 1, 2**31 - 1, 2**31, 2**32 - 1] + [0] * 6
    return {
        1: np.array(after_atomics32(a[1], a[0]), np.uint32),
        2: np.array([after_atomics32(local, block) for block in blocks_of(a[0], 64)], np.uint32),
    }


@reference
def atomics_wide(a, g):
    small = [int(x) for x in a[0]]
    v = [x * 4294967311 for x in small]
    u = [x % 2**64 for x in v]
    w = [int(x) for x in a[1]]
    w[0] += sum(v)
    w[1] = min([w[1], *v])
    w[2] = max([w[2], *v])
    for x in u:
        w[3] &= x | 0xFF
        w[4] |= x & 0xFF00FF00FF00
        w[5] ^= x
    w[6] = max([w[6], *u])
    w[7] += 5 * len(u)
    tickets = lambda saved: None if all(sorted(block) == list(range(1, 129)) for block in blocks_of(saved[4], 128).tolist()) else "the tickets of a block are not 1 to 128"
    return {
        1: np.array([s64(x) for x in w], np.int64),
        2: np.array([sum(small), 512.0], np.float32),
        3: np.array([0.5 * sum(small), 64.0]),
        4: Check(tickets),
    }


def shuffle(values, mode, b, width=32):
    """One warp's shuffle as PTX defines it; b is a number or one per lane."""
    out = []
    for lane in range(32):
        operand = b[lane] if isinstance(b, list) else b
        first = lane // width * width
        last = first + width - 1
        if mode == "idx":
            source, valid = first + operand % width, True
        elif mode == "up":
            source = lane - operand
            valid = source >= first
        elif mode == "down":
            source = lane + operand
            valid = source <= last
        else:
            source = lane ^ operand
            valid = source <= last
        out.append(values[source] if valid else values[lane])
    return out


@reference
def shuffles(a, g):
    lanes = list(range(32))
    warps = []
    for warp in blocks_of(a[0], 32):
        v = [int(x) for x in warp]
        wide = shuffle([x * 10000000019 for x in v], "down", 4)
        warps.append(
            [shuffle(v, "idx", 5), shuffle(v, "idx", [7 * k for k in lanes]), shuffle(v, "idx", [k + 3 for k in lanes], 8), shuffle(v, "idx", -1, 16),
             shuffle(v, "up", 1), shuffle(v, "up", 3, 8), shuffle(v, "down", 1), shuffle(v, "down", 5, 16),
             shuffle(v, "xor", 1), shuffle(v, "xor", 31), shuffle(v, "xor", 12, 8),
             [s32(x ^ x >> 32) for x in wide], shuffle(v, "xor", 16), [int(k + 9 < 32) for k in lanes]]  # fmt: skip
        )
    return {1: np.concatenate([np.array(w, np.int64).astype(np.int32) for w in warps], axis=1)}


@reference
def votes(a, g):
    warps = []
    for warp in blocks_of(a[0], 32):
        v = [int(x) for x in warp]
        mask = lambda predicate: sum(1 << k for k in range(32) if predicate(v[k]))
        every = lambda value: [value] * 32
        equal = len(set(v)) == 1
        alls, ors, xors = ~0, 0, 0
        for x in v:
            alls &= x | 0x40
            ors |= 1 << x
            xors ^= 1 << x
        warps.append(
            [every(mask(lambda x: x > 4)), every(int(3 in v)), every(int(max(v) < 12)), [mask(lambda x, y=y: x == y) for y in v],
             [mask(lambda x, y=y: x & 3 == y & 3) for y in v], every(2**32 - 1 if equal else 0), every(int(equal)), every(2**32 - 1), every(1),
             every(sum(v)), every(min(v) - 6), every(max(v) - 20), every(alls), every(ors), every(xors), every(2**32 - 1), every(1)]  # fmt: skip
        )
    return {1: np.concatenate([np.array([[u32(x) for x in row] for row in w], np.uint32) for w in warps], axis=1)}


@reference
def cooperative_groups(a, g):
    v = a[0].astype(np.int64)
    tiles = blocks_of(v, 16)
    up = np.concatenate([tiles[:, :2], tiles[:, :-2]], axis=1)
    out = [np.repeat(blocks_of(v, 64).sum(axis=1), 64), np.repeat(tiles.max(axis=1), 16), up.reshape(-1), np.where(v % 2 == 0, 1, -1)]
    return {1: np.stack(out).astype(np.int32)}


@reference
def block_sum(a, g):
    return {1: np.array([a[0][k * 80 : (k + 1) * 80].sum() for k in range(3)], np.int32)}


@reference
def lock_blocks(a, g):
    return {1: np.array([a[0].sum(), 40], np.int32)}


@reference
def lock_lanes(a, g):
    return {1: np.array([a[0].sum(), 64], np.int32)}


@reference
def last_block(a, g):
    return {2: np.array([a[0].sum()], np.int32)}


@reference
def named_barriers(a, g):
    return {1: (a[0].reshape(-1, 32)[:, ::-1] * 2 + 1).reshape(2, 320).astype(np.int32)}


@reference
def barrier_reductions(a, g):
    blocks = blocks_of(a[0], 100)
    each = lambda values: np.repeat(np.array(values, np.int32), 100)
    return {1: np.stack([each((blocks > 3).sum(axis=1)), each((blocks < 12).all(axis=1)), each(blocks[:, 99] == 11)])}


@reference
def control_flow(a, g):
    def collatz(n):
        steps = 0
        while n > 1:
            n = 3 * n + 1 if n & 1 else n // 2
            steps += 1
        return steps

    def nested(i):
        count = 0
        for outer in range(i % 7):
            for inner in range(outer, 10):
                if inner == i % 5:
                    continue
                if outer * inner > i:
                    break
                count += outer ^ inner
                if count > 40:
                    return count
            count += 100
        return count

    def turning(i):
        x, turns = i, 0
        while True:
            x = x * 5 % 97
            turns += 1
            if turns > 50:
                return -2
            if x % 11 == 3:
                return turns * 1000 + x

    return {0: rows([[collatz(i + 1), nested(i) if i < a[1] else -1, turning(i) if i < a[1] else -2] for i in range(140)], np.int32)}


@reference
def inline_ptx(a, g):
    def signed_bytes(x):
        return [((x >> 8 * k & 255) + 128) % 256 - 128 for k in range(4)]

    def element(x, y):
        x, y = int(x), int(y)
        wide = x * y + 12345678901
        dot = sum(p * q for p, q in zip(signed_bytes(x), signed_bytes(y))) + 9
        unsigned_dot = sum((x >> 8 * k & 255) * (y >> 8 * k & 255) for k in range(4)) + 9
        return [x + y, (x + y) >> 32, x - y, 5 - (x < y), wide, wide >> 32, (s32(x) * s32(y) >> 32) + 7,
                111 if s32(x) < s32(y) else 222, x if s32(x ^ y) >= 0 else y, dot, unsigned_dot, 2**32 - 1 if x > y else 0]  # fmt: skip

    return {2: rows([element(*v) for v in zip(a[0], a[1])], np.uint32)}


@reference
def clock_printf(a, g):
    return {1: np.ones(64, np.int32)}


@reference
def qualifiers(a, g):
    return {1: (blocks_of(a[0], 128)[:, ::-1] * np.float32(4)).reshape(-1)}


@reference
def generic_pointers(a, g):
    values, out, spaces = [int(x) for x in a[0]], [], []
    for t in range(96):
        own, tile = [1000, 2000], 10 * t
        if t % 3 == 0:
            tile += t + 1
        elif t % 3 == 1:
            values[t] += t + 1
        else:
            own[t & 1] += t + 1
        own[0] += 5
        pointed = [tile, values[t], own[t & 1]][t % 3]
        out.append(pointed + own[0] + own[1] + tile)
        spaces.append([1, 2, 4][t % 3])
    return {0: np.array(values, np.int32), 1: np.array([out, spaces], np.int32)}


@reference
def same_buffer(a, g):
    first = a[0][:16]
    return {0: np.concatenate([first, first * 100 + first[::-1]]).astype(np.int32)}


def brain_bits(values):
    """float32 to bfloat16 bits, to nearest even; no NaN."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


@reference
def every_type(a, g):
    with np.errstate(over="ignore"):
        doubled = {index: a[index] + a[index] for index in (0, 1, 2, 3, 4, 5, 6, 8)}
    floats = (a[7].astype(np.uint32) << 16).view(np.float32)
    t = np.arange(32)
    third = brain_bits((t - 8).astype(np.float32) / np.float32(3.0)).reshape(2, 16)
    return {**doubled, 7: brain_bits(floats + floats), 9: third, 10: np.concatenate([[255], 200 + t[::-1]]).astype(np.uint8)}


@reference
def repeated(a, g):
    running, rows = a[0].astype(np.int64), a[1].copy()
    for launch in range(5):
        running = running * 2 + 1
        rows[launch] = running
    return {0: running.astype(np.int32), 1: rows}


@reference
def offsets(a, g):
    doubles, bytes_, rows = np.arange(32, dtype=np.float64), np.arange(16), np.arange(32).reshape(4, 8)
    doubles[8:16] = np.arange(8) + 0.5
    doubles[16:24] = -np.arange(24.0, 32.0)
    doubles[31] = 1e300
    bytes_[3:11] += 100
    rows[1] = np.arange(8) * 1000
    return {0: doubles, 4: bytes_.astype(np.uint8), 6: rows.astype(np.int16)}


@reference
def global_fills(a, g):
    t = np.arange(32)
    whole = [t, 7 + 0 * t, 0 * t, -5000000000 + 0 * t, 1 + 0 * t, 500 + 0 * t, np.array([11, 22, 33])[t % 3], 1 + 0 * t]

    def complaint(saved):
        noise, same_noise, taps = saved[1]
        if taps.tobytes() != g["taps"][t % 5].astype(np.float32).tobytes():
            return "taps are not what was given"
        if noise.tobytes() != same_noise.tobytes():
            return "one seed filled two variables differently"
        if not (np.abs(noise) <= 1).all() or len(np.unique(noise)) < 30:
            return "noise is not made of distinct floats from -1 to 1"
        return None

    return {0: np.array(whole, np.int64), 1: Check(complaint)}


@reference
def random_fill(a, g):
    def complaint(saved):
        x, y, z = saved[3]
        if saved[0].tobytes() != x.tobytes():
            return "the saved input is not what the kernel read"
        if x.tobytes() != y.tobytes():
            return "one seed gave two different fills"
        if x.tobytes() == z.tobytes():
            return "two seeds gave one fill"
        if not np.isfinite(saved[3]).all() or len(np.unique(x)) < 100:
            return "the fill is not made of distinct finite numbers"
        return None

    return {0: Check(complaint), 3: Check(complaint)}


@reference
def stencil(a, g):
    radius = a[3]
    padded = np.pad(a[0].astype(np.int64), radius)
    return {1: sum(padded[radius + k : radius + k + 150] * (k + 20) for k in range(-radius, radius + 1)).astype(np.int32)}


@reference
def softmax(a, g):
    x = a[0].astype(np.float64)
    e = np.exp((a[0] - a[0].max(axis=1, keepdims=True)).astype(np.float64))
    return {1: Close(e / e.sum(axis=1, keepdims=True), 2e-6, 1e-37)} if x.size else {}


@reference
def bank_strides(a, g):
    t = np.arange(64)
    return {0: ((t // 32 * 192 + t % 32 * 6) ** 2).astype(np.int32)}


@reference
def bank_double(a, g):
    return {0: (31 - np.arange(32)) * 0.5 + 3.5}


@reference
def sectors(a, g):
    x, t = a[0].astype(np.float64), np.arange(32)
    return {1: Close(x[t * 8] - x[257 + t] * x[300], 1e-6, 1e-7)}


@reference
def defined(a, g):
    return {0: -(np.arange(64) * 3 - 5 + 4 + 2 - 2 + 1 + 15).astype(np.int32)}


@reference
def handwritten(a, g):
    out = []
    for i, (x, y) in enumerate(a[0].tolist()):
        total = 0
        for _ in range((i & 7) + 1):
            total = total * 3 + x
        out.append(s32(total - y))
    return {1: np.array(out, np.int32)}


@reference
def bitonic(a, g):
    return {0: np.sort(a[0])}


@reference
def convolution(a, g):
    height, width = a[0].shape
    padded, weights = np.pad(a[0].astype(np.int64), 2), g["filter"].astype(np.int64).reshape(5, 5)
    return {1: sum(padded[j : j + height, i : i + width] * weights[j, i] for j in range(5) for i in range(5)).astype(np.int32)}


@reference
def standard_headers(a, g):
    x = a[0].astype(np.uint64)
    return {1: x * (x & np.uint64(255)) + np.uint64(8)}


@reference
def cache_operators(a, g):
    x = a[0]
    return {1: np.stack([x + 1, x + 2, x + 3, x + 4, x.reshape(-1, 4)[:, ::-1].reshape(-1)])}


@reference
def sleep_and_timers(a, g):
    return {0: np.full(4, 3, np.int32)}


@reference
def packed_atomics(a, g):
    t = np.arange(32)
    return {0: np.array([2 * (t % 4).sum(), 64, 64, 2 * (t % 3).sum()], np.float32)}


@reference
def bytes_in_words(a, g):
    x, y = (v.view(np.uint8).astype(np.int64) for v in a[:2])
    word = lambda v: v.astype(np.uint8).view(np.uint32)
    wide = lambda v: v.astype(np.uint16).view(np.uint32)
    halves = [v.view(np.int16).astype(np.int64) for v in a[:2]]
    mixture = a[1] & np.uint32(0x00FFFF00) | a[0] & np.uint32(0xFF0000FF)
    equal = np.where(x == mixture.view(np.uint8), 255, 0)
    sad = np.abs(x - y).reshape(-1, 4).sum(axis=1).astype(np.uint32)
    return {2: np.stack([word(x + y), wide(halves[0] - halves[1]), word(np.abs(x - y)), word(equal), wide(np.maximum(*halves)), word(np.minimum(x, y)),
                         word(np.minimum(x + y, 255)), word((x + y + 1) >> 1), sad])}  # fmt: skip


@reference
def aligned_copies(a, g):
    records = a[0][::-1].copy()
    t = np.arange(64)
    records[:, 3] += t.astype(np.int32)
    records[t % 8 == 0, :3] = -1
    records[:, 7] = records[:, 7].astype(np.int16)
    weights, ends = np.array([2, -3, 7])[t % 3], np.where(t % 3 == 1, records[:, 6], records[:, 0])
    return {1: records, 2: (weights * ends).astype(np.int32)}


@reference
def wide_shuffles(a, g):
    x = a[0].reshape(2, 32)
    up = np.concatenate([x[:, :4], x[:, :-4]], axis=1) * 1e12
    other = x[:, np.arange(32) ^ 2]
    return {1: np.stack([np.repeat(x.sum(axis=1), 32), up.reshape(-1), (other + 1000.0 * (other + 100.0)).reshape(-1)])}


# Suspicious but clean -----------------------------------------------------------------------------------------------


@reference
def warp_sums(a, g):
    return {1: blocks_of(a[0], 32).sum(axis=1).astype(np.int32)}


@reference
def own_element(a, g):
    return {1: (a[0] * 6).astype(np.int32)}


@reference
def double_buffering(a, g):
    tiles = a[0].reshape(2, 8, 64).astype(np.int64)
    return {1: (tiles.sum(axis=(1, 2))[:, None] + tiles.sum(axis=1)).astype(np.int32).reshape(-1)}


@reference
def bytes_of_one_word(a, g):
    halves = a[0].astype(np.uint32) * 3 & 0xFFFF
    return {1: a[0].view("<u4") + halves[127 - np.arange(32)], 2: a[0] ^ 1}


@reference
def early_exit(a, g):
    x = blocks_of(a[0], 64)
    out = np.where(np.arange(64) % 5 == 0, 0, x[:, ::-1] - x)
    return {1: out.reshape(-1)[:100].astype(np.int32)}


@reference
def conditional_load(a, g):
    out = a[0].copy()
    out[5] = 1234
    return {1: out}


@reference
def unused(a, g):
    t = np.arange(64)
    return {1: (a[0] + t + ord("t") + np.where(t < 40, a[0] * 2, 0)).astype(np.int32)}


@reference
def volatile_flag(a, g):
    return {2: (a[0][::-1] * 7).astype(np.int32)}


@reference
def acquire_release(a, g):
    return {0: np.array([4711], np.int32), 1: np.array([4712], np.int32)}


@reference
def atomics_only(a, g):
    return {1: np.array([a[0].sum(), max(0, a[0].max()), 384, 99], np.int32)}


@reference
def uniform_condition(a, g):
    t, out = np.arange(64), []
    for block, v in enumerate(blocks_of(a[0], 64)):
        if block == 3:
            out.append(np.full(64, -1))
            continue
        v = np.roll(v, -(a[2] + block))
        out.append(v + v[63 - t] if block % 2 else v - v[::-1][t ^ 3])
    return {1: np.concatenate(out).astype(np.int32)}


@reference
def half_warps(a, g):
    out = []
    for warp in blocks_of(a[0], 32).astype(np.int64):
        low = warp[:16] + warp[np.arange(16) ^ 1]
        low = low + low[np.arange(16) ^ 8]
        high = warp[16:] - warp[16]
        out += [low, high ^ high[np.arange(16) ^ 2]]
    return {1: np.concatenate(out).astype(np.int32)}


@reference
def reused_pool(a, g):
    t = np.arange(64)
    x = blocks_of(a[0], 64)[:, ::-1].astype(np.int64)
    return {1: (x[:, t ^ 5] * 0.5 + (x[:, (t + 1) % 64] + 100 & 255)).reshape(-1)}


@reference
def grid_stride(a, g):
    return {1: np.concatenate([a[0][k : k + 32][::-1] for k in range(0, 150, 32)])}


@reference
def last_warp(a, g):
    return {1: blocks_of(a[0], 128).sum(axis=1).astype(np.int32)}


@reference
def read_only_sharing(a, g):
    out, i = a[1].copy(), np.arange(192)
    out[2 * i] = a[0].sum() + a[1][2 * ((i + 1) % 192) + 1]
    return {1: out}


@reference
def waiters(a, g):
    x = blocks_of(a[0], 72)
    return {1: (x * 1000 + x.sum(axis=1, keepdims=True)).astype(np.int32).reshape(-1)}


@reference
def chain(a, g):
    return {1: (np.arange(1200) * 3).astype(np.int32)}


@reference
def atomic_ref(a, g):
    row = 3 * (np.arange(32) ^ 5) + 1
    return {1: np.stack([row, row]).astype(np.int32)}


@reference
def partial_warp(a, g):
    v = a[0][np.arange(40) ^ 7]
    return {1: v[::-1] * 2 + v}


@reference
def uniform_break(a, g):
    t, out = np.arange(96), []
    for block in blocks_of(a[0], 96):
        v, rounds = block.astype(np.int64), 0
        while (v > 0).any():
            v, rounds = v - 1 - t % 2, rounds + 1
        out.append(rounds * 100 + v)
    return {1: np.concatenate(out).astype(np.int32)}


@reference
def staged_product(a, g):
    left, right = a[0].reshape(48, 64).astype(np.int64), a[1].reshape(64, 32).astype(np.int64)
    return {2: (left @ right).astype(np.int32).reshape(a[2].shape)}


@reference
def piped_sums(a, g):
    weights = np.arange(127, -1, -1) % 3 + 1
    return {1: (a[0].reshape(15, 128).astype(np.int64) @ weights).astype(np.int32)}


# Defective kernels whose result is still determined -----------------------------------------------------------------


@reference
def early_return(a, g):
    return {1: a[0][::-1].copy()}


@reference
def same_value(a, g):
    return {1: np.array([1], np.int32)}


@reference
def launch_order(a, g):
    return {1: np.arange(1000, dtype=np.int32)}
