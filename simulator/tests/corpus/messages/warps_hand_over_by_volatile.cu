// Two warps of a block: one fills a slot in shared memory and raises a volatile flag, the other takes and lowers it.
//@ run --entry slots --grid 1 --block 64 --arg in:i32:160=iota --arg out:i32:160 --budget 2000000
//! clean
//! defect 1: race at fill and take
//! defect 2: race at take and fill
//! defect 3: race at fill and take
//! defect 4: deadlock at full|empty
extern "C" __global__ void slots(const int* in, int* out)
{
    __shared__ int slot[32];
    __shared__ volatile int full;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) full = 0;
    __syncthreads();
    for (int k = 0; k < 5; ++k) {
        if (threadIdx.x < 32) {
            if (lane == 0) {
                while (full != 0) {} // <- empty
                __threadfence_block();
            }
            __syncwarp();
            slot[lane] = in[k * 32 + lane]; // <- fill
#if DEFECT != 3
            __syncwarp();
#endif
            if (lane == 0) {
#if DEFECT != 1
                __threadfence_block();
#endif
#if DEFECT == 4
                if (k != 3) full = 1;
#else
                full = 1;
#endif
            }
        } else {
            if (lane == 0) {
                while (full == 0) {} // <- full
                __threadfence_block();
            }
            __syncwarp();
            out[k * 32 + lane] = slot[31 - lane]; // <- take
#if DEFECT != 2
            __syncwarp();
#endif
            if (lane == 0) {
                __threadfence_block();
                full = 0;
            }
        }
    }
}
