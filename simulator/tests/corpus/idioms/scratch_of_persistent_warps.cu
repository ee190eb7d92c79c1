// Warps take rows from a counter until there are none; each has a scratch row of its own that it uses again and again.
//@ run --entry rows --grid 2 --block 64 --arg in:i32:320=iota --arg inout:i32:1=zeros --arg out:i32:320
//! clean
//! defect 1: race at put and get
//! defect 2: race at put and get
//! defect 3: race at take and tell
extern "C" __global__ void rows(const int* in, int* next, int* out)
{
    __shared__ int scratch[2][32];
    __shared__ int taken[2];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (;;) {
        int row = 0;
#if DEFECT == 3
        if (lane == 0) taken[warp] = atomicAdd(next, 1); // <- take
        row = taken[warp]; // <- tell
#else
        if (lane == 0) row = atomicAdd(next, 1);
        row = __shfl_sync(0xffffffffu, row, 0);
#endif
        if (row >= 10) break;
        scratch[warp][lane] = in[row * 32 + lane]; // <- put
#if DEFECT != 1
        __syncwarp();
#endif
        out[row * 32 + lane] = scratch[warp][lane ^ 5]; // <- get
#if DEFECT != 2
        __syncwarp();
#endif
    }
}
