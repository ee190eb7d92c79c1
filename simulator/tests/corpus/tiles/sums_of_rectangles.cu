// A summed-area table of one tile: rows first, then columns; in shared memory with crossed indices instead of padding.
//@ run --entry table --grid 1 --block 32 --arg in:i32:32x32=iota --arg out:i32:32x32
//! clean
//! defect 1: race at row and column
//! defect 2: race at fill and row
//! defect 3: race at column and write
//! defect 4: out_of_bounds at column
__device__ int& at(int* s, int y, int x) { return s[y * 32 + (x ^ y)]; }
extern "C" __global__ void table(const int* in, int* out)
{
    __shared__ int s[32 * 32];
    int t = threadIdx.x;
    for (int y = 0; y < 32; ++y) at(s, y, t) = in[y * 32 + t]; // <- fill
#if DEFECT != 2
    __syncwarp();
#endif
    for (int x = 1; x < 32; ++x) at(s, t, x) += at(s, t, x - 1); // <- row
#if DEFECT != 1
    __syncwarp();
#endif
#if DEFECT == 4
    for (int y = 0; y < 32; ++y) at(s, y + 1, t) += at(s, y, t); // <- column
#else
    for (int y = 1; y < 32; ++y) at(s, y, t) += at(s, y - 1, t); // <- column
#endif
#if DEFECT != 3
    __syncthreads();
#endif
    for (int y = 0; y < 32; ++y) out[y * 32 + t] = at(s, 31 - y, 31 - t); // <- write
}
