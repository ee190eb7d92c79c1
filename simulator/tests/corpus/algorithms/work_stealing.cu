// Warps take chunks from a counter and broadcast the chunk's number by a shuffle, until nothing is left.
//@ run --entry work --grid 3 --block 64 --arg in:i32:320=iota --arg out:i32:320 --arg inout:i32:1=zeros
//! clean
//! defect 1: race at result
//! defect 2: invalid_mask at tell
extern "C" __global__ void work(const int* in, int* out, int* next)
{
    int lane = threadIdx.x % 32;
    while (true) {
        int chunk = 0;
#if DEFECT == 1
        if (lane == 0) chunk = *(volatile int*)next, *(volatile int*)next = chunk + 1;
#else
        if (lane == 0) chunk = atomicAdd(next, 1);
#endif
#if DEFECT == 2
        if (lane < 31) chunk = __shfl_sync(0xffffffff, chunk, 0); // <- tell
        else chunk = 10;
#else
        chunk = __shfl_sync(0xffffffff, chunk, 0);
#endif
        if (chunk >= 10) break;
        out[chunk * 32 + lane] = in[chunk * 32 + lane] + threadIdx.x; // <- result
    }
}
