// Row-wise softmax with a pool of dynamic shared memory cut into floats and doubles at an aligned offset.
//@ run --entry softmax --grid 5 --block 64 --shared 920 --arg in:f32:5x101=large_magnitudes.npy
//@ run --arg out:f32:5x101 --arg i32:101
// save: 1
// reference: softmax

#include <math_constants.h>

extern __shared__ __align__(16) unsigned char pool[];

extern "C" __global__ void softmax(const float* in, float* out, int n)
{
    float* row = reinterpret_cast<float*>(pool);
    double* partial = reinterpret_cast<double*>(pool + (n * 4 + 7) / 8 * 8);
    __shared__ float top[64];
    int t = threadIdx.x;
    float largest = -CUDART_INF_F;
    for (int k = t; k < n; k += 64) {
        row[k] = in[blockIdx.x * n + k];
        largest = fmaxf(largest, row[k]);
    }
    top[t] = largest;
    for (int s = 32; s > 0; s /= 2) {
        __syncthreads();
        if (t < s) top[t] = fmaxf(top[t], top[t + s]);
    }
    __syncthreads();
    double sum = 0.0;
    for (int k = t; k < n; k += 64) {
        row[k] = expf(row[k] - top[0]);
        sum += row[k];
    }
    partial[t] = sum;
    for (int s = 32; s > 0; s /= 2) {
        __syncthreads();
        if (t < s) partial[t] += partial[t + s];
    }
    __syncthreads();
    for (int k = t; k < n; k += 64) out[blockIdx.x * n + k] = (float)(row[k] / partial[0]);
}
