//! style: int4 loads and integers that have the floats' order; a functor keeps NaN out.

#include <limits.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);
LAUNCH_CONSTANT(MOST_BLOCKS, 264);

// The larger float has the larger integer; NaN has the least of all.
struct Ordered {
    __device__ int operator()(int bits) const {
        bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
        return is_nan ? INT_MIN : bits < 0 ? bits ^ 0x7fffffff : bits;
    }
    __device__ float back(int order) const {
        return __int_as_float(order < 0 ? order ^ 0x7fffffff : order);
    }
};

__device__ int warp_max(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffff, value);
#else
    for (int distance = 16; distance > 0; distance /= 2) {
        value = max(value, __shfl_xor_sync(0xffffffff, value, distance));
    }
    return value;
#endif
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    constexpr int WARPS = BLOCK_SIZE / 32;
    __shared__ int of_warp[WARPS];
    const Ordered ordered;
    const int *words = reinterpret_cast<const int *>(in);
    int head = min(n, static_cast<int>((16 - reinterpret_cast<size_t>(in) % 16) % 16 / 4));
    int count = (n - head) / 4;
    const int4 *vectors = reinterpret_cast<const int4 *>(words + head);

    // The value that stands for nothing: minus infinity, as no number is less.
    int largest = ordered(__float_as_int(-INFINITY));
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < count; i += gridDim.x * BLOCK_SIZE) {
        int4 vector = __ldg(&vectors[i]);
        largest = max(largest, max(ordered(vector.x), ordered(vector.y)));
        largest = max(largest, max(ordered(vector.z), ordered(vector.w)));
    }
    if (blockIdx.x == 0 && threadIdx.x < head) {
        largest = max(largest, ordered(words[threadIdx.x]));
    }
    if (blockIdx.x == 0 && head + 4 * count + threadIdx.x < n) {
        largest = max(largest, ordered(words[head + 4 * count + threadIdx.x]));
    }
    largest = warp_max(largest);
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = largest;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        largest = warp_max(of_warp[threadIdx.x % WARPS]);
        if (threadIdx.x == 0) {
            out[blockIdx.x] = ordered.back(largest);
        }
    }
}
