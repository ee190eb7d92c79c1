// Two groups of two warps go through a section in turns: each waits at its own named barrier, which the other one arrives at.
//@ run --entry turns --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at put and get
//! defect 2: deadlock at mine
//! defect 3: race at put and get
extern "C" __global__ void turns(const int* in, int* out)
{
    __shared__ int tile[64];
    int t = threadIdx.x, group = t / 64, at = t % 64, sum = 0;
#if DEFECT != 2
    // The first group need not wait for its first turn.
    if (group == 1) asm volatile("bar.arrive 1, 128;" ::: "memory");
#endif
    for (int round = 0; round < 3; ++round) {
        asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory"); // <- mine
        tile[at] = in[t] + round; // <- put
#if DEFECT == 3
        __syncwarp();
#else
        asm volatile("bar.sync %0, 64;" ::"r"(3 + group) : "memory");
#endif
#if DEFECT == 1
        if (group == 0 || round < 2) asm volatile("bar.arrive %0, 128;" ::"r"(2 - group) : "memory");
#endif
        sum += tile[63 - at]; // <- get
#if DEFECT != 1
        if (group == 0 || round < 2) asm volatile("bar.arrive %0, 128;" ::"r"(2 - group) : "memory");
#endif
    }
    out[t] = sum;
}
