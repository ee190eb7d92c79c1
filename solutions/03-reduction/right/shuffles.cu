//! style: shuffles within warps, one word for each warp, and one barrier.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 1024);

constexpr int WARP = 32;
constexpr unsigned ALL = 0xffffffff;

__device__ float warp_max(float value) {
#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL, value, distance));
    }
    return value;
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float of_warp[BLOCK_SIZE / WARP];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float largest = warp_max(i < n ? in[i] : -INFINITY);
    if (threadIdx.x % WARP == 0) {
        of_warp[threadIdx.x / WARP] = largest;
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        largest = warp_max(threadIdx.x < BLOCK_SIZE / WARP ? of_warp[threadIdx.x] : -INFINITY);
        if (threadIdx.x == 0) {
            out[blockIdx.x] = largest;
        }
    }
}
