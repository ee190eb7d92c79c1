//! fails: clean/race
//! may fail: correct
//! why: threads may read the sum before thread 0 has written it: no barrier makes them wait.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 512);

extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    extern __shared__ double pool[];
    float *row = reinterpret_cast<float *>(pool);
    double *partial = pool + ceil_div(columns, 2);
    in += static_cast<size_t>(blockIdx.x) * columns;
    out += static_cast<size_t>(blockIdx.x) * columns;
    int thread = threadIdx.x;

    float maximum = -INFINITY;
    for (int i = thread; i < columns; i += BLOCK_SIZE) {
        row[i] = in[i];
        maximum = fmaxf(maximum, row[i]);
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
        row[i] = expf(row[i] - maximum);
        sum += row[i];
    }
    partial[thread] = sum;
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (thread < stride) {
            partial[thread] += partial[thread + stride];
        }
    }
    float scale = 1.0 / partial[0];

    for (int i = thread; i < columns; i += BLOCK_SIZE) {
        out[i] = row[i] * scale;
    }
}
