//! fails: clean/misaligned, correct
//! why: the kernel loads a float4 from an address that need not be a multiple of 16.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, up to 65535.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

constexpr int UNROLL = 4;

__device__ __forceinline__ float largest_of(float4 v) {
    return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int threads = gridDim.x * BLOCK_SIZE;

    int head = 0;
    const float4 *vectors = reinterpret_cast<const float4 *>(in + head);
    int count = (n - head) / 4;

    float largest[UNROLL];
    for (int k = 0; k < UNROLL; ++k) {
        largest[k] = -INFINITY;
    }
    int i = thread;
    for (; i + (UNROLL - 1) * threads < count; i += UNROLL * threads) {
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            largest[k] = fmaxf(largest[k], largest_of(vectors[i + k * threads]));
        }
    }
    for (; i < count; i += threads) {
        largest[0] = fmaxf(largest[0], largest_of(vectors[i]));
    }

    int tail = head + 4 * count + thread;
    if (thread < head) {
        largest[0] = fmaxf(largest[0], in[thread]);
    }
    if (tail < n) {
        largest[0] = fmaxf(largest[0], in[tail]);
    }

    __shared__ float data[BLOCK_SIZE];
    for (int k = 1; k < UNROLL; ++k) {
        largest[0] = fmaxf(largest[0], largest[k]);
    }
    data[threadIdx.x] = largest[0];
    __syncthreads();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            data[threadIdx.x] = fmaxf(data[threadIdx.x], data[threadIdx.x + stride]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = data[0];
    }
}
