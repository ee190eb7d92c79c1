//@ run --entry tiles --grid 2 --block 64 --arg in:i32:512=iota --arg out:i32:128 --arg i32:500
// Copies of 16 bytes a thread, three stages deep, and zeros where the input ends; each is a load request and a shared store request.
#include <cuda_pipeline.h>

extern "C" __global__ void tiles(const int* in, int* out, int n)
{
    __shared__ __align__(16) int tile[3][256];
    int t = threadIdx.x, sum = 0;
    auto fetch = [&](int k) {
        int i = 256 * k + 4 * t;
        int missing = i + 4 <= n ? 0 : i < n ? i + 4 - n : 4;
        if (k < 2) __pipeline_memcpy_async(&tile[k % 3][4 * t], in + i, 16, 4 * missing);
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    for (int k = 0; k < 2; ++k) {
        fetch(k + 2);
        __pipeline_wait_prior(2);
        __syncthreads();
        for (int j = 0; j < 4; ++j) sum += tile[k % 3][(4 * t + j + 128) % 256];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}
