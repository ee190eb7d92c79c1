//! style: cub::BlockReduce, its storage at the front of the pool's second part.

#include <cub/block/block_reduce.cuh>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);

using Maximum = cub::BlockReduce<float, BLOCK_SIZE>;
using Sum = cub::BlockReduce<double, BLOCK_SIZE>;
static_assert(sizeof(Maximum::TempStorage) <= BLOCK_SIZE * sizeof(double) / 2);
static_assert(sizeof(Sum::TempStorage) <= BLOCK_SIZE * sizeof(double) / 2);

struct Larger {
    __device__ float operator()(float left, float right) const { return fmaxf(left, right); }
};

extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    extern __shared__ double pool[];
    __shared__ float maximum;
    __shared__ double total;
    float *row = reinterpret_cast<float *>(pool);
    double *partial = pool + ceil_div(columns, 2);
    auto &for_maximum = *reinterpret_cast<Maximum::TempStorage *>(partial);
    auto &for_sum = *reinterpret_cast<Sum::TempStorage *>(partial + BLOCK_SIZE / 2);
    size_t first = static_cast<size_t>(blockIdx.x) * columns;

    float largest = -INFINITY;
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        float element = in[first + i];
        row[i] = element;
        largest = fmaxf(largest, element);
    }
    largest = Maximum(for_maximum).Reduce(largest, Larger());
    if (threadIdx.x == 0) {
        maximum = largest;
    }
    __syncthreads();

    double sum = 0.0;
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        float power = expf(row[i] - maximum);
        row[i] = power;
        sum += power;
    }
    sum = Sum(for_sum).Sum(sum);
    if (threadIdx.x == 0) {
        total = sum;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        out[first + i] = static_cast<float>(row[i] / total);
    }
}
