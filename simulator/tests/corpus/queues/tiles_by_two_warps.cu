// Warps of a block take tiles from a counter in shared memory until none is left; each has its own scratch.
//@ run --entry tiles --grid 1 --block 128 --arg in:i32:320=iota --arg out:i32:320 --arg i32:10
//! clean
//! defect 1: race at take
//! defect 2: race at stage
//! defect 3: race at stage and use
//! defect 4: out_of_bounds at stage
extern "C" __global__ void tiles(const int* in, int* out, int n)
{
    __shared__ int next;
    __shared__ int scratch[4][32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0) next = 0;
    __syncthreads();
    for (;;) {
        int tile = 0;
#if DEFECT == 1
        if (lane == 0) tile = next++; // <- take
#else
        if (lane == 0) tile = atomicAdd(&next, 1); // <- take
#endif
        tile = __shfl_sync(~0u, tile, 0);
#if DEFECT == 4
        if (tile > n) break;
#else
        if (tile >= n) break;
#endif
#if DEFECT == 2
        scratch[warp / 2][lane] = in[tile * 32 + lane]; // <- stage
#else
        scratch[warp][lane] = in[tile * 32 + lane]; // <- stage
#endif
        __syncwarp();
#if DEFECT == 2
        int v = scratch[warp / 2][31 - lane];
#else
        int v = scratch[warp][31 - lane]; // <- use
#endif
#if DEFECT != 3
        __syncwarp();
#endif
        out[tile * 32 + lane] = v;
    }
}
