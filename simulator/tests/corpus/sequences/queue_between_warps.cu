// A queue of four slots between a producer warp and a consumer warp: two counters, volatile, with fences of block scope.
//@ run --entry pipe --grid 1 --block 64 --arg in:i32:12=iota --arg out:i32:12
//! clean
//! defect 1: race at push and pop
//! defect 2: race at push and pop
//! defect 3: race at push and pop
extern "C" __global__ void pipe(const int* in, int* out)
{
    __shared__ int slot[4];
    __shared__ volatile int pushed, popped;
    int t = threadIdx.x;
    if (t == 0) pushed = popped = 0;
    __syncthreads();
    if (t == 0) {
        for (int k = 0; k < 12; ++k) {
#if DEFECT == 1
            while (k - popped > 4) {}
#else
            while (k - popped >= 4) {}
#endif
            __threadfence_block();
            slot[k % 4] = in[k] * 3; // <- push
#if DEFECT != 2
            __threadfence_block();
#endif
            pushed = k + 1;
        }
    } else if (t == 32) {
        for (int k = 0; k < 12; ++k) {
            while (pushed <= k) {}
#if DEFECT != 3
            __threadfence_block();
#endif
            out[k] = slot[k % 4]; // <- pop
            __threadfence_block();
            popped = k + 1;
        }
    }
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
