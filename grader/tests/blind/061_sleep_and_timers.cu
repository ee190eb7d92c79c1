// A spin with __nanosleep back-off between blocks, the global timer, the multiprocessor's number.
//@ run --entry sleep_and_timers --grid 4 --block 32 --arg out:i32:4
// save: 0
// reference: sleep_and_timers

__device__ int turn;

extern "C" __global__ void sleep_and_timers(int* out)
{
    if (threadIdx.x != 0) return;
    unsigned long long before, after;
    unsigned multiprocessor, multiprocessors;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(multiprocessors));
    // Every block waits for the next one; four blocks fit on any GPU at once.
    unsigned nap = 8;
    while (atomicAdd(&turn, 0) != 3 - (int)blockIdx.x) {
        __nanosleep(nap);
        if (nap < 256) nap *= 2;
    }
    atomicAdd(&turn, 1);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
    out[blockIdx.x] = (after >= before) + 2 * (multiprocessor < multiprocessors);
}
