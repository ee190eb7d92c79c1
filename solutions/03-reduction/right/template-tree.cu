//! style: the tree as a recursive template, its last rounds by one warp with __syncwarp.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 128);

template <int DISTANCE> __device__ void combine(float *data, int thread) {
    if constexpr (DISTANCE > 0) {
        if constexpr (DISTANCE >= 32) {
            if (thread < DISTANCE) {
                data[thread] = fmaxf(data[thread], data[thread + DISTANCE]);
            }
            __syncthreads();
            combine<DISTANCE / 2>(data, thread);
        } else if (thread < 32) {
            if (thread < DISTANCE) {
                data[thread] = fmaxf(data[thread], data[thread + DISTANCE]);
            }
            __syncwarp();
            combine<DISTANCE / 2>(data, thread);
        }
    }
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float data[BLOCK_SIZE];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    data[threadIdx.x] = i < n ? in[i] : -INFINITY;
    __syncthreads();
    combine<BLOCK_SIZE / 2>(data, threadIdx.x);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = data[0];
    }
}
