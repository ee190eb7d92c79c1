// Each half of the block has a barrier of its own. With one barrier for both, warps of different halves may pair up.
//@ run --entry halves --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race|barrier_divergence at store|load|meet
extern "C" __global__ void halves(const int* in, int* out)
{
    __shared__ int s[128];
    int t = threadIdx.x, half = t / 64;
    s[t] = in[t]; // <- store
#if DEFECT
    asm volatile("bar.sync %0, 64;" ::"r"(1 + half * 0) : "memory"); // <- meet
#else
    asm volatile("bar.sync %0, 64;" ::"r"(1 + half) : "memory");
#endif
    out[t] = s[half * 64 + 63 - t % 64]; // <- load
}
