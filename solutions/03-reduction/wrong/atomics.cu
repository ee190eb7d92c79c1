//! fails: shared_bank_conflicts
//! may fail: speedup
//! why: right, but all threads meet at one word: an atomic serves one lane after the other, and
//! counts as the load and the store that it is.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);

// Larger floats have larger keys; a NaN has the least.
__device__ unsigned int key_of(float value) {
    unsigned int bits = __float_as_uint(value);
    return value != value ? 0 : bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ unsigned int largest;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (threadIdx.x == 0) {
        largest = key_of(-INFINITY);
    }
    __syncthreads();
    if (i < n) {
        atomicMax(&largest, key_of(in[i]));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned int key = largest;
        out[blockIdx.x] = __uint_as_float(key & 0x80000000 ? key & 0x7fffffff : ~key);
    }
}
