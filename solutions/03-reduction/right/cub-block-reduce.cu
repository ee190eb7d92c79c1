//! style: cub::BlockReduce with a functor of its own.

#include <cub/block/block_reduce.cuh>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);

struct Larger {
    __device__ float operator()(float left, float right) const { return fmaxf(left, right); }
};

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    using BlockReduce = cub::BlockReduce<float, BLOCK_SIZE>;
    __shared__ typename BlockReduce::TempStorage storage;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float largest = BlockReduce(storage).Reduce(i < n ? in[i] : -INFINITY, Larger());
    if (threadIdx.x == 0) {
        out[blockIdx.x] = largest;
    }
}
