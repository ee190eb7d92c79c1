// Two stages of asynchronous copies: while one is used the other is on its way.
//@ run --entry stages --grid 1 --block 64 --arg in:i32:64x4=iota --arg out:i32:64
//! clean
//! defect 1: race|uninitialized_read at first|next|use
//! defect 2: race at next and use
#include <cuda_pipeline.h>
extern "C" __global__ void stages(const int* in, int* out)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4); // <- first
    __pipeline_commit();
    for (int k = 0; k < 4; ++k) {
        if (k < 3) {
            __pipeline_memcpy_async(&s[(k + 1) % 2][t], &in[(k + 1) * 64 + t], 4); // <- next
        }
        __pipeline_commit();
#if DEFECT == 1
        __pipeline_wait_prior(2);
#else
        __pipeline_wait_prior(1);
#endif
        __syncthreads();
        sum += s[k % 2][63 - t]; // <- use
#if DEFECT != 2
        __syncthreads();
#endif
    }
    out[t] = sum;
}
