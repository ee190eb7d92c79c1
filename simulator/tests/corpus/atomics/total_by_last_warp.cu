// Warps add to a total in shared memory and count themselves; the last one reads it. Reading it without having counted is too early.
//@ run --entry total --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:1
//! clean
//! defect 1: race at add and read
extern "C" __global__ void total(const int* in, int* out)
{
    __shared__ int sum, count;
    int t = threadIdx.x;
    if (t == 0) sum = count = 0;
    __syncthreads();
    int v = __reduce_add_sync(0xffffffff, in[t]);
    if (t % 32 == 0) {
        atomicAdd(&sum, v); // <- add
#if DEFECT
        if (t == 96) *out = sum; // <- read
#else
        __threadfence_block();
        if (atomicAdd(&count, 1) == 3) {
            __threadfence_block();
            *out = atomicAdd(&sum, 0);
        }
#endif
    }
}
