// Warp 0 fills a ring of four rows in shared memory, warp 1 empties it; counters of both are read as volatile.
//@ run --entry ring --grid 1 --block 64 --arg in:i32:10x32=iota --arg out:i32:10x32
//! clean
//! defect 1: race at fill and drain
//! defect 2: race at fill and drain
//! defect 3: race at fill and drain
//! defect 4: race at fill and drain
//! defect 5: race at fill and drain
extern "C" __global__ void ring(const int* in, int* out)
{
    __shared__ int rows[4][32];
    __shared__ volatile int filled, drained;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) filled = drained = 0;
    __syncthreads();
    for (int k = 0; k < 10; ++k) {
        if (threadIdx.x < 32) {
#if DEFECT == 3
            while (k - drained >= 5) {}
#else
            while (k - drained >= 4) {}
#endif
            __threadfence_block();
            __syncwarp();
            rows[k % 4][lane] = in[k * 32 + lane]; // <- fill
#if DEFECT != 1
            __syncwarp();
#endif
            if (lane == 0) {
#if DEFECT != 4
                __threadfence_block();
#endif
                filled = k + 1;
            }
        } else {
            while (filled <= k) {}
#if DEFECT != 5
            __threadfence_block();
#endif
            __syncwarp();
            out[k * 32 + lane] = rows[k % 4][31 - lane]; // <- drain
#if DEFECT != 2
            __syncwarp();
#endif
            if (lane == 0) {
                __threadfence_block();
                drained = k + 1;
            }
        }
    }
}
//! label 5: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
