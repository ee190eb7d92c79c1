//! style: HOLE: a template that takes the way in and the way out as lambdas; 96 threads.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 96);

template <typename Load, typename Store>
__device__ void turn_round(int count, Load load, Store store) {
    __shared__ float tile[BLOCK_SIZE];
    if (threadIdx.x < count) {
        tile[threadIdx.x] = load(threadIdx.x);
    }
    __syncthreads();
    if (threadIdx.x < count) {
        store(threadIdx.x, tile[count - 1 - threadIdx.x]);
    }
}

extern "C" __global__ void scaffold(const float *in, float *out, int n) {
    int first = blockIdx.x * BLOCK_SIZE;
    turn_round(
        min(BLOCK_SIZE, n - first), [=](int i) { return in[first + i]; },
        [=](int i, float element) { out[first + i] = element; });
}
