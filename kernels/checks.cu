// What the judge runs before and after a timed kernel: fills, and checks of everything that the
// kernel wrote. Trusted, never shown to a learner's kernel. The values are those of
// harness/src/fill.rs, bit by bit.

typedef unsigned long long u64;

// An element's type, as harness/src/plan.rs lists them.
enum Type { U8, I8, U16, I16, F16, BF16, U32, I32, F32, U64, I64, F64 };

// A recipe for a buffer's contents.
enum Kind { REPEATED, COUNTING, RANDOM_INTEGERS, RANDOM_FLOATS, WHOLE_FLOATS };

// The range that a value is drawn from, as floats (`high` excluded) and as integers (how many: 0 for
// all 2^64).
struct Range {
    double low, high;
    u64 least, span;
};

// harness/src/fill.rs has the same, field by field. An element is drawn from the second range where
// its hash has none of the mask's bits. A repeated element's bits are in `base`.
struct Recipe {
    int type, kind;
    u64 base;
    double unit;
    u64 stray_mask;
    Range ranges[2];
};

// What a check found: how many are wrong, the first and the last.
struct Found {
    u64 count;
    u64 first;
    u64 last;
};

__device__ __forceinline__ u64 thread_of_grid() {
    return blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x;
}
__device__ __forceinline__ u64 threads_of_grid() {
    return gridDim.x * static_cast<u64>(blockDim.x);
}

__device__ __forceinline__ void report(Found *found, u64 index) {
    atomicAdd(&found->count, 1ULL);
    atomicMin(&found->first, index);
    atomicMax(&found->last, index);
}

__device__ __forceinline__ u64 finish(u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

// `base` is finish(seed ^ 0x5851F42D4C957F2D) + 0x9E3779B97F4A7C15: the part of the hash that is
// the same for every index.
__device__ __forceinline__ u64 hash(u64 base, u64 index) {
    return finish(base + index * 0x9E3779B97F4A7C15ULL);
}

__device__ __forceinline__ unsigned half_of(float value) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

__device__ __forceinline__ float float_of_half(unsigned short bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

// To the nearest, ties to even; finite values only.
__device__ __forceinline__ unsigned bfloat_of(float value) {
    unsigned bits = __float_as_uint(value);
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
}

__device__ __forceinline__ float float_of_bfloat(unsigned short bits) {
    return __uint_as_float(unsigned(bits) << 16);
}

__device__ __forceinline__ double load_float(int type, const void *data, u64 index) {
    switch (type) {
    case F16: return float_of_half(static_cast<const unsigned short *>(data)[index]);
    case BF16: return float_of_bfloat(static_cast<const unsigned short *>(data)[index]);
    case F32: return static_cast<const float *>(data)[index];
    default: return static_cast<const double *>(data)[index];
    }
}

__device__ __forceinline__ u64 load_bits(int type, const void *data, u64 index) {
    switch (type) {
    case U8:
    case I8: return static_cast<const unsigned char *>(data)[index];
    case U16:
    case I16:
    case F16:
    case BF16: return static_cast<const unsigned short *>(data)[index];
    case U32:
    case I32:
    case F32: return static_cast<const unsigned *>(data)[index];
    default: return static_cast<const u64 *>(data)[index];
    }
}

__device__ __forceinline__ void store_bits(int type, void *data, u64 index, u64 bits) {
    switch (type) {
    case U8:
    case I8: static_cast<unsigned char *>(data)[index] = static_cast<unsigned char>(bits); break;
    case U16:
    case I16:
    case F16:
    case BF16:
        static_cast<unsigned short *>(data)[index] = static_cast<unsigned short>(bits);
        break;
    case U32:
    case I32:
    case F32: static_cast<unsigned *>(data)[index] = static_cast<unsigned>(bits); break;
    default: static_cast<u64 *>(data)[index] = bits;
    }
}

// A double rounded to a float type, as bits. Through float on the way to the 16-bit types, as on
// the host.
__device__ __forceinline__ u64 rounded(int type, double value) {
    switch (type) {
    case F16: return half_of(__double2float_rn(value));
    case BF16: return bfloat_of(__double2float_rn(value));
    case F32: return __float_as_uint(__double2float_rn(value));
    default: return static_cast<u64>(__double_as_longlong(value));
    }
}

__device__ __forceinline__ double widened(int type, u64 bits) {
    switch (type) {
    case F16: return float_of_half(static_cast<unsigned short>(bits));
    case BF16: return float_of_bfloat(static_cast<unsigned short>(bits));
    case F32: return __uint_as_float(static_cast<unsigned>(bits));
    default: return __longlong_as_double(static_cast<long long>(bits));
    }
}

__device__ __forceinline__ u64 mask(int type) {
    switch (type) {
    case U8:
    case I8: return 0xFF;
    case U16:
    case I16:
    case F16:
    case BF16: return 0xFFFF;
    case U32:
    case I32:
    case F32: return 0xFFFFFFFF;
    default: return ~0ULL;
    }
}

// Element `index` of a recipe, as bits.
__device__ __forceinline__ u64 made(const Recipe &recipe, u64 index) {
    int type = recipe.type;
    if (recipe.kind == REPEATED) {
        return recipe.base;
    }
    if (recipe.kind == COUNTING) {
        switch (type) {
        case F16: return half_of(__ull2float_rn(index));
        case BF16: return bfloat_of(__ull2float_rn(index));
        case F32: return __float_as_uint(__ull2float_rn(index));
        case F64: return static_cast<u64>(__double_as_longlong(__ull2double_rn(index)));
        default: return index & mask(type);
        }
    }
    u64 random = hash(recipe.base, index);
    Range range = (random & recipe.stray_mask) == 0 ? recipe.ranges[1] : recipe.ranges[0];
    if (recipe.kind == RANDOM_FLOATS) {
        double low = range.low;
        double high = range.high;
        double unit = __dmul_rn(__ull2double_rn(random >> 11), 1.0 / 9007199254740992.0);
        double value = __dadd_rn(low, __dmul_rn(__dsub_rn(high, low), unit));
        if (!(value < high || high <= low)) {
            value = low;
        }
        u64 bits = rounded(type, value);
        // Rounding may land on `high`, which is excluded.
        return widened(type, bits) < high || high <= low ? bits : rounded(type, low);
    }
    u64 drawn = range.least + (range.span == 0 ? random : __umul64hi(random, range.span));
    if (recipe.kind == WHOLE_FLOATS) {
        double whole = __ll2double_rn(static_cast<long long>(drawn));
        return rounded(type, __dmul_rn(whole, recipe.unit));
    }
    return drawn & mask(type);
}

// Writes a buffer's contents.
extern "C" __global__ void fill_elements(void *data, u64 count, Recipe recipe) {
    for (u64 i = thread_of_grid(); i < count; i += threads_of_grid()) {
        store_bits(recipe.type, data, i, made(recipe, i));
    }
}

// Finds the elements that are not what `fill_elements` wrote.
extern "C" __global__ void find_changed(const void *data, u64 count, Recipe recipe, Found *found) {
    for (u64 i = thread_of_grid(); i < count; i += threads_of_grid()) {
        if (load_bits(recipe.type, data, i) != made(recipe, i)) {
            report(found, i);
        }
    }
}

// Writes words that no kernel can guess.
extern "C" __global__ void scramble(u64 *words, u64 count, u64 base) {
    for (u64 i = thread_of_grid(); i < count; i += threads_of_grid()) {
        words[i] = hash(base, i);
    }
}

// Finds the bytes from `start` to `end` that are not what `scramble` wrote, counted from `start`.
extern "C" __global__ void find_unscrambled(const unsigned char *bytes, u64 start, u64 end,
                                            u64 base, Found *found) {
    for (u64 i = start + thread_of_grid(); i < end; i += threads_of_grid()) {
        if (bytes[i] != static_cast<unsigned char>(hash(base, i / 8) >> (8 * (i % 8)))) {
            report(found, i - start);
        }
    }
}

// Finds the bytes that differ.
extern "C" __global__ void find_other_bytes(const unsigned char *bytes,
                                            const unsigned char *expected, u64 count,
                                            Found *found) {
    for (u64 i = thread_of_grid(); i < count; i += threads_of_grid()) {
        if (bytes[i] != expected[i]) {
            report(found, i);
        }
    }
}

// Sign-extends an integer's bits.
__device__ __forceinline__ long long signed_of(int type, u64 bits) {
    switch (type) {
    case I8: return static_cast<signed char>(bits);
    case I16: return static_cast<short>(bits);
    case I32: return static_cast<int>(bits);
    default: return static_cast<long long>(bits);
    }
}

__device__ __forceinline__ bool is_close(int type, u64 found, u64 expected, int exact,
                                         double absolute, double relative) {
    // A NaN equals itself, as on the host.
    if (found == expected) {
        return true;
    }
    switch (type) {
    case F16:
    case BF16:
    case F32:
    case F64: {
        double a = widened(type, found);
        double b = widened(type, expected);
        if (a == b) {
            return true;
        }
        if (exact) {
            return a != a && b != b;
        }
        return isfinite(a) && isfinite(b) &&
               fabs(a - b) <= __dadd_rn(absolute, __dmul_rn(relative, fabs(b)));
    }
    case I8:
    case I16:
    case I32:
    case I64: {
        if (exact) {
            return false;
        }
        long long a = signed_of(type, found);
        long long b = signed_of(type, expected);
        u64 difference = a > b ? static_cast<u64>(a) - static_cast<u64>(b)
                               : static_cast<u64>(b) - static_cast<u64>(a);
        u64 size = b < 0 ? 0 - static_cast<u64>(b) : static_cast<u64>(b);
        return __ull2double_rn(difference) <=
               __dadd_rn(absolute, __dmul_rn(relative, __ull2double_rn(size)));
    }
    default: {
        if (exact) {
            return false;
        }
        u64 difference = found > expected ? found - expected : expected - found;
        return __ull2double_rn(difference) <=
               __dadd_rn(absolute, __dmul_rn(relative, __ull2double_rn(expected)));
    }
    }
}

// Finds the elements that are not as close to what is expected as they must be.
extern "C" __global__ void find_wrong(const void *data, const void *expected, u64 count, int type,
                                      int exact, double absolute, double relative, Found *found) {
    for (u64 i = thread_of_grid(); i < count; i += threads_of_grid()) {
        if (!is_close(type, load_bits(type, data, i), load_bits(type, expected, i), exact, absolute,
                      relative)) {
            report(found, i);
        }
    }
}

// Columns that share a residual; harness/src/product.rs says why.
constexpr int GROUP = 64;

// A column's weight: 1 to 2, of either sign.
__device__ __forceinline__ double weight(u64 base, u64 column) {
    u64 random = hash(base, column);
    double size = 1.0 + __ull2double_rn(random >> 12) / 4503599627370496.0;
    return random & 1 ? -size : size;
}

// For every row of a matrix the weighted sum of each group of columns. A warp for each.
extern "C" __global__ void project(const void *matrix, int type, u64 rows, u64 columns, u64 base,
                                   double *sums) {
    u64 groups = (columns + GROUP - 1) / GROUP;
    unsigned lane = threadIdx.x % 32;
    for (u64 at = thread_of_grid() / 32; at < rows * groups; at += threads_of_grid() / 32) {
        u64 row = at / groups;
        u64 first = at % groups * GROUP;
        double sum = 0;
        for (u64 column = first + lane; column < first + GROUP && column < columns; column += 32) {
            sum += load_float(type, matrix, row * columns + column) * weight(base, column);
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xFFFFFFFF, sum, distance);
        }
        if (lane == 0) {
            sums[at] = sum;
        }
    }
}

// Finds the residuals C·x − A·(B·x) that are too large, and adds up the squares of all. `bx` has a
// row for each of A's columns, `cx` one for each of its rows; both have a column for each group.
extern "C" __global__ void find_residuals(const void *a, int type, u64 rows, u64 columns,
                                          u64 groups, const double *bx, const double *cx,
                                          double largest, Found *found, double *squares) {
    double own = 0;
    for (u64 at = thread_of_grid(); at < rows * groups; at += threads_of_grid()) {
        u64 row = at / groups;
        u64 group = at % groups;
        double sum = 0;
        for (u64 i = 0; i < columns; i++) {
            sum += load_float(type, a, row * columns + i) * bx[i * groups + group];
        }
        double residual = cx[at] - sum;
        // Not a number is too large, too.
        if (!(fabs(residual) <= largest)) {
            report(found, at);
        } else {
            own += residual * residual;
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        own += __shfl_down_sync(0xFFFFFFFF, own, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(squares, own);
    }
}
