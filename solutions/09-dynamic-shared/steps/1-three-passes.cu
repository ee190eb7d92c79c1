//! fails: global_load_sectors, shared_load_wavefronts, shared_store_wavefronts
//! why: for comparison: the kernel reads the row three times, and keeps nothing of the row in the
//! pool.
// Step 1: every pass reads the row from global memory. It is the baseline.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);

extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    __shared__ double partial[BLOCK_SIZE];
    in += static_cast<size_t>(blockIdx.x) * columns;
    out += static_cast<size_t>(blockIdx.x) * columns;
    int thread = threadIdx.x;

    float maximum = -INFINITY;
    for (int i = thread; i < columns; i += BLOCK_SIZE) {
        maximum = fmaxf(maximum, in[i]);
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
    for (int i = thread; i < columns; i += BLOCK_SIZE) {
        sum += expf(in[i] - maximum);
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

    for (int i = thread; i < columns; i += BLOCK_SIZE) {
        out[i] = expf(in[i] - maximum) * scale;
    }
}
