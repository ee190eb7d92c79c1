// Warps hand a token round by flags in shared memory, with block fences; the last one sees what the first wrote.
//@ run --entry chain --grid 1 --block 96 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: race at first and last
//! defect 2: deadlock at second
//! defect 3: race at first and last
extern "C" __global__ void chain(const int* in, int* out)
{
    __shared__ int data[32];
    __shared__ volatile int flags[2];
    int t = threadIdx.x, lane = t % 32;
    if (t < 2) flags[t] = 0;
    __syncthreads();
    if (t < 32) {
        data[lane] = in[lane]; // <- first
        __syncwarp();
        if (lane == 0) {
#if DEFECT != 3
            __threadfence_block();
#endif
            flags[0] = 1;
        }
    } else if (t < 64) {
        if (lane == 0) {
#if DEFECT == 2
            while (flags[0] != 2) {} // <- second
#elif DEFECT != 1
            while (flags[0] == 0) {} // <- second
#endif
            __threadfence_block();
            flags[1] = 1;
        }
    } else {
        while (flags[1] == 0) {}
        __threadfence_block();
        out[lane] = data[31 - lane]; // <- last
    }
}
