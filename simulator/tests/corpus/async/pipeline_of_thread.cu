// cuda::pipeline of each thread: what it copied it must wait for, and the others at a barrier.
//@ run --entry each --grid 1 --block 64 --arg in:i32:64x2=iota --arg out:i32:64
//! clean
//! defect 1: race at copy and first|use
//! defect 2: race at copy and first|use
//! defect 3: race at copy and use
#include <cuda/pipeline>
extern "C" __global__ void each(const int* in, int* out)
{
    __shared__ int s[2][64];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 2; ++k) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[k][t], &in[64 * k + t], sizeof(int), pipe); // <- copy
        pipe.producer_commit();
    }
#if DEFECT == 2
    cuda::pipeline_consumer_wait_prior<2>(pipe);
#elif DEFECT == 3
    cuda::pipeline_consumer_wait_prior<1>(pipe);
#else
    cuda::pipeline_consumer_wait_prior<0>(pipe);
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    sum += s[0][63 - t]; // <- first
    sum += s[1][63 - t]; // <- use
    pipe.consumer_release();
    pipe.consumer_release();
    out[t] = sum;
}
