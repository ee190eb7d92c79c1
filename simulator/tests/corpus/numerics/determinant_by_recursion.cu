// A determinant by recursion over columns, on a local copy with a mask of rows.
//@ run --entry minors --grid 1 --block 32 --arg in:i32:288=iota --arg out:i32:32
//! clean
//! defect 1: out_of_bounds at pick; also=uninitialized_read
//! defect 2: race at out
__device__ __noinline__ int minor_of(const int* a, int column, unsigned rows)
{
    if (column == 3) return 1;
    int sum = 0, sign = 1;
#if DEFECT == 1
    for (int r = 0; r <= 3; ++r) {
#else
    for (int r = 0; r < 3; ++r) {
#endif
        if (rows >> r & 1) continue;
        sum += sign * a[r * 3 + column] * minor_of(a, column + 1, rows | 1u << r); // <- pick
        sign = -sign;
    }
    return sum;
}
extern "C" __global__ void minors(const int* in, int* out)
{
    int a[9];
    for (int k = 0; k < 9; ++k) a[k] = in[threadIdx.x * 9 + k] % 7;
#if DEFECT == 2
    out[threadIdx.x & ~16] = minor_of(a, 0, 0) + threadIdx.x; // <- out
#else
    out[threadIdx.x] = minor_of(a, 0, 0); // <- out
#endif
}
