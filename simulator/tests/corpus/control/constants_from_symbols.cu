// A device array as a table, a constant array as a stencil, a device counter of blocks that resets itself.
//@ run --entry symbols --grid 3 --block 32 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: out_of_bounds at look
//! defect 2: race at write
//! defect 3: out_of_bounds at stencil
__device__ int table[8] = {5, 3, 8, 1, 9, 2, 7, 4};
__constant__ int taps[3] = {1, 2, 1};
__device__ unsigned blocks;
extern "C" __global__ void symbols(const int* in, int* out)
{
    int i = blockIdx.x * 32 + threadIdx.x, v = in[i], sum = 0;
#if DEFECT == 3
    for (int k = 0; k <= 3; ++k) {
#else
    for (int k = 0; k < 3; ++k) {
#endif
        int at = min(max(i + k - 1, 0), 95);
        sum += taps[k] * in[at]; // <- stencil
    }
#if DEFECT == 1
    sum += table[v % 9]; // <- look
#else
    sum += table[v % 8];
#endif
#if DEFECT == 2
    if (v % 8 == 3) table[v % 16 / 8] = v; // <- write
#endif
    out[i] = sum;
    if (threadIdx.x == 0) atomicInc(&blocks, gridDim.x - 1);
}
