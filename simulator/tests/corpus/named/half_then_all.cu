// The first half of the block prepares a table under a barrier of its own, then everybody meets.
//@ run --entry prepare --grid 1 --block 128 --arg in:i32:64=iota --arg out:i32:128
//! clean
//! defect 1: race at scale and use
//! defect 2: race at load and scale
extern "C" __global__ void prepare(const int* in, int* out)
{
    __shared__ int raw[64], table[64];
    int t = threadIdx.x;
    if (t < 64) {
        raw[t] = in[t]; // <- load
#if DEFECT != 2
        asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
        table[t] = raw[63 - t] * 2; // <- scale
    }
#if DEFECT == 1
    asm volatile("bar.sync 2, 64;" ::: "memory");
    asm volatile("" ::: "memory");
#else
    __syncthreads();
#endif
    out[t] = table[(t + 17) % 64]; // <- use
}
