//! style: floats as integers of the same order, so that a warp's maximum is one instruction.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);

constexpr int WARP = 32;
constexpr unsigned ALL = 0xffffffff;

// The larger float has the larger integer: the order of negative floats is reversed.
__device__ int ordered(float value) {
    int bits = __float_as_int(value);
    return bits >= 0 ? bits : bits ^ 0x7fffffff;
}
__device__ float from_ordered(int order) {
    return __int_as_float(order >= 0 ? order : order ^ 0x7fffffff);
}

__device__ int warp_max(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(ALL, value);
#else
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value = max(value, __shfl_xor_sync(ALL, value, distance));
    }
    return value;
#endif
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    constexpr int WARPS = BLOCK_SIZE / WARP;
    __shared__ int of_warp[WARPS];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float mine = i < n ? in[i] : -INFINITY;
    int largest = warp_max(ordered(isnan(mine) ? -INFINITY : mine));
    if (threadIdx.x % WARP == 0) {
        of_warp[threadIdx.x / WARP] = largest;
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        largest = warp_max(of_warp[threadIdx.x % WARPS]);
        if (threadIdx.x == 0) {
            out[blockIdx.x] = from_ordered(largest);
        }
    }
}
