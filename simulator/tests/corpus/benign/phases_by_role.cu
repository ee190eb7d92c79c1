// Warps with different roles touch different arrays between barriers.
//@ run --entry roles --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:32
//! clean
//! defect 1: race at fill|sum|finish
extern "C" __global__ void roles(const int* in, int* out)
{
    __shared__ int a[32], b[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    a[lane] = b[lane] = 0;
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
        if (warp == k % 3) a[lane] += in[lane + 32 * (k % 3)]; // <- fill
#if DEFECT
        if (warp == (k + 1) % 3) b[lane] += a[31 - lane]; // <- sum
#else
        if (warp == (k + 1) % 3) b[lane] += k;
#endif
        __syncthreads();
    }
    if (warp == 0) out[lane] = a[lane] + b[31 - lane]; // <- finish
}
