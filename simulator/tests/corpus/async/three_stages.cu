// Three stages of asynchronous copies: two are on their way while one is used. At the end empty groups keep the count right.
//@ run --entry stages --grid 2 --block 64 --arg in:f32:64x6=iota --arg out:f32:128
//! clean
//! defect 1: race at early|next and use
//! defect 2: race at early|next and use
//! defect 3: race at next and use
#include <cuda_pipeline.h>
extern "C" __global__ void stages(const float* in, float* out)
{
    __shared__ float s[3][64];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
        __pipeline_memcpy_async(&s[k][t], &in[k * 64 + t], 4); // <- early
        __pipeline_commit();
    }
    for (int k = 0; k < 6; ++k) {
        if (k + 2 < 6) {
            __pipeline_memcpy_async(&s[(k + 2) % 3][t], &in[(k + 2) * 64 + t], 4); // <- next
#if DEFECT == 2
            __pipeline_commit();
#endif
        }
#if DEFECT != 2
        __pipeline_commit();
#endif
#if DEFECT == 1
        __pipeline_wait_prior(3);
#else
        __pipeline_wait_prior(2);
#endif
        __syncthreads();
        sum += s[k % 3][63 - t]; // <- use
#if DEFECT != 3
        __syncthreads();
#endif
    }
    out[blockIdx.x * 64 + t] = sum;
}
