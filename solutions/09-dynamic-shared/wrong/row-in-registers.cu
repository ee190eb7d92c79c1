//! fails: shared_store_wavefronts, shared_load_wavefronts
//! may fail: speedup
//! why: right as long as a block's registers hold the row; the pool holds any row that it has room
//! for.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);

constexpr int MOST = ceil_div(15360, BLOCK_SIZE);

extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    __shared__ double partial[BLOCK_SIZE];
    in += static_cast<size_t>(blockIdx.x) * columns;
    out += static_cast<size_t>(blockIdx.x) * columns;
    int thread = threadIdx.x;

    float row[MOST];
    float maximum = -INFINITY;
    #pragma unroll
    for (int item = 0; item < MOST; ++item) {
        int i = item * BLOCK_SIZE + thread;
        row[item] = i < columns ? in[i] : -INFINITY;
        maximum = fmaxf(maximum, row[item]);
    }
    partial[thread] = maximum;
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (thread < stride) {
            partial[thread] = fmax(partial[thread], partial[thread + stride]);
        }
    }
    __syncthreads();
    maximum = partial[0];
    __syncthreads();

    double sum = 0.0;
    #pragma unroll
    for (int item = 0; item < MOST; ++item) {
        row[item] = expf(row[item] - maximum);
        sum += row[item];
    }
    partial[thread] = sum;
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (thread < stride) {
            partial[thread] += partial[thread + stride];
        }
    }
    __syncthreads();
    float scale = 1.0 / partial[0];
    #pragma unroll
    for (int item = 0; item < MOST; ++item) {
        int i = item * BLOCK_SIZE + thread;
        if (i < columns) {
            out[i] = row[item] * scale;
        }
    }
}
