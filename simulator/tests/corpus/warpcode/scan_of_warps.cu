// A scan of a block: lanes by shuffles, the warps' sums by the first warp, which has fewer sums than lanes.
//@ run --entry scan --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at keep and read
//! defect 2: race at write and add
//! defect 3: uninitialized_read at add|read|write|store
extern "C" __global__ void scan(const int* in, int* out)
{
    __shared__ int sums[4];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, v = in[t];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += left;
    }
#if DEFECT == 3
    if (lane == 31 && warp < 3) sums[warp] = v;
#else
    if (lane == 31) sums[warp] = v; // <- keep
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    if (warp == 0) {
        int sum = lane < 4 ? sums[lane] : 0; // <- read
        for (int d = 1; d < 4; d *= 2) {
            int left = __shfl_up_sync(~0u, sum, d);
            if (lane >= d) sum += left;
        }
        if (lane < 4) sums[lane] = sum; // <- write
    }
#if DEFECT != 2
    __syncthreads();
#endif
#if DEFECT == 3
    v += sums[3]; // <- add
#else
    if (warp) v += sums[warp - 1]; // <- add
#endif
    out[t] = v; // <- store
}
