// 64-bit integers: products, quotients, shifts, bit counts, comparisons.
//@ run --entry int64 --grid 2 --block 64 --arg in:i64:100=long_dividends.npy
//@ run --arg in:i64:100=long_divisors.npy --arg out:i64:20x100 --arg i32:100
// save: 2
// reference: int64

extern "C" __global__ void int64(const long long* a, const long long* b, long long* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long x = a[i], y = b[i];
    unsigned long long ux = x, uy = y;
    int row = 0;
    auto put = [&](long long value) { out[row++ * n + i] = value; };
    put(ux + uy);
    put(ux - uy);
    put(ux * uy);
    put(x / y);
    put(x % y);
    put(ux / uy);
    put(ux % uy);
    put(__mul64hi(x, y));
    put(__umul64hi(ux, uy));
    put(ux << (uy & 63));
    put(x >> (uy & 63));
    put(ux >> (uy & 63));
    put(__clzll(x));
    put(__popcll(x));
    put(__brevll(ux));
    put(__ffsll(x));
    put(min(x, y));
    put(max(ux, uy));
    put((long long)(int)x * (int)y);
    put((x < y) | (ux < uy) << 1 | (x == y) << 2 | (ux > uy) << 3);
}
