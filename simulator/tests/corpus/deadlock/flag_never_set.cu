// A consumer warp waits for a flag that the producer raises, or raises for another slot.
//@ run --entry wait --grid 1 --block 64 --arg out:i32:1 --budget 2000000
//! clean
//! defect 1: deadlock at wait
extern "C" __global__ void wait(int* out)
{
    __shared__ int flags[2];
    int t = threadIdx.x;
    if (t < 2) flags[t] = 0;
    __syncthreads();
    if (t == 0) {
#if DEFECT
        atomicExch(&flags[1], 1);
#else
        atomicExch(&flags[0], 1);
#endif
    } else if (t == 32) {
        while (atomicAdd(&flags[0], 0) == 0) {} // <- wait
        *out = 1;
    }
}
