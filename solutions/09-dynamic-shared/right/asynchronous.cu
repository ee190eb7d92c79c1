//! style: the row arrives by asynchronous copies of four bytes, in two batches.

#include <cuda_pipeline.h>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 128);

constexpr int WARP = 32;

template <typename T> __device__ T larger(T left, T right) { return left > right ? left : right; }

extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    extern __shared__ double pool[];
    float *row = reinterpret_cast<float *>(pool + BLOCK_SIZE);
    const float *from = in + static_cast<size_t>(blockIdx.x) * columns;
    int thread = threadIdx.x;
    int half = ceil_div(columns, 2 * BLOCK_SIZE) * BLOCK_SIZE;
    for (int i = thread; i < min(half, columns); i += BLOCK_SIZE) {
        __pipeline_memcpy_async(&row[i], &from[i], sizeof(float));
    }
    __pipeline_commit();
    for (int i = half + thread; i < columns; i += BLOCK_SIZE) {
        __pipeline_memcpy_async(&row[i], &from[i], sizeof(float));
    }
    __pipeline_commit();

    // Each thread waits for its own copies and reads only these.
    float largest = -INFINITY;
    __pipeline_wait_prior(1);
    for (int i = thread; i < min(half, columns); i += BLOCK_SIZE) {
        largest = larger(largest, row[i]);
    }
    __pipeline_wait_prior(0);
    for (int i = half + thread; i < columns; i += BLOCK_SIZE) {
        largest = larger(largest, row[i]);
    }

    pool[thread] = largest;
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (thread < stride) {
            pool[thread] = larger(pool[thread], pool[thread + stride]);
        }
    }
    __syncthreads();
    float maximum = static_cast<float>(pool[0]);
    __syncthreads();

    double sum = 0.0;
    for (int i = thread; i < columns; i += BLOCK_SIZE) {
        row[i] = expf(row[i] - maximum);
        sum += row[i];
    }
    pool[thread] = sum;
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (thread < stride) {
            pool[thread] += pool[thread + stride];
        }
    }
    __syncthreads();
    double factor = 1.0 / pool[0];
    float *to = out + static_cast<size_t>(blockIdx.x) * columns;
    for (int i = thread; i < columns; i += BLOCK_SIZE) {
        to[i] = static_cast<float>(row[i] * factor);
    }
}
