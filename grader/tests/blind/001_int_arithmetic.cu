// 32-bit integer arithmetic, signed and unsigned, with extreme operands; one operation per output row.
//@ run --entry int_arithmetic --grid 2 --block 128 --arg in:i32:250=dividends.npy
//@ run --arg in:i32:250=divisors.npy --arg out:i32:24x250 --arg i32:250
// save: 2
// reference: int_arithmetic

extern "C" __global__ void int_arithmetic(const int* a, const int* b, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], y = b[i];
    unsigned ux = x, uy = y;
    int row = 0;
    auto put = [&](int value) { out[row++ * n + i] = value; };
    put(ux + uy);
    put(ux - uy);
    put(ux * uy);
    put(x / y);
    put(x % y);
    put(ux / uy);
    put(ux % uy);
    put(x & y);
    put(x | y);
    put(x ^ y);
    put(~x);
    put(__mulhi(x, y));
    put(__umulhi(ux, uy));
    put(min(x, y));
    put(min(ux, uy));
    put(max(x, y));
    put(max(ux, uy));
    put(__mul24(x, y));
    put(__hadd(x, y));
    put(__rhadd(x, y));
    put(__sad(x, y, 5u));
    put(ux << (uy & 31));
    put(x >> (uy & 31));
    put((x < y) | (x <= y) << 1 | (ux < uy) << 2 | (ux >= uy) << 3 | (x == y) << 4 | (x != 7) << 5);
}
