// cuda::pipeline of each thread: copies go two ahead, and a barrier of the block makes them known to the others.
//@ run --entry run --grid 1 --block 32,2 --arg in:i32:64x5=iota --arg out:i32:64
//! clean
//! defect 1: race at prefetch and use
//! defect 2: race at prefetch and use
//! defect 3: race at use and prefetch
//! defect 4: out_of_bounds at prefetch
#include <cuda/pipeline>
extern "C" __global__ void run(const int* in, int* out)
{
    constexpr int STAGES = 3;
    __shared__ int s[STAGES][64];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.y * 32 + threadIdx.x, sum = 0;
    for (int next = 0, k = 0; k < 5; ++k) {
#if DEFECT == 4
        for (; next < k + 2; ++next) {
#elif DEFECT == 3
        for (; next < 5 && next < k + 3; ++next) {
#else
        for (; next < 5 && next < k + 2; ++next) {
#endif
            pipe.producer_acquire();
            cuda::memcpy_async(&s[next % STAGES][t], &in[next * 64 + t], sizeof(int), pipe); // <- prefetch
            pipe.producer_commit();
        }
#if DEFECT != 1
        if (k < 4) cuda::pipeline_consumer_wait_prior<1>(pipe);
        else cuda::pipeline_consumer_wait_prior<0>(pipe);
#endif
#if DEFECT == 2
        __syncwarp();
#else
        __syncthreads();
#endif
        sum += s[k % STAGES][63 - t]; // <- use
        pipe.consumer_release();
    }
    out[t] = sum;
}
