// family: unroll bombs
// exercise: 03-reduction
// defence: compile-limits
// says: the compiler gave up
// limits: 2000 MB, 1 s
//
// Loops that are written out as often as they run.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
template <int PART> __device__ __noinline__ float unrolled(float x) {
#pragma unroll
    for (int a = 0; a < 96; ++a) {
#pragma unroll
        for (int b = 0; b < 96; ++b) {
            x = x * x + ((a + PART) ^ b);
        }
    }
    return x;
}

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    data[thread] = i < n ? in[i] : -INFINITY;
    __syncthreads();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        __syncthreads();
    }
    if (n < 0) {
        data[0] = unrolled<0>(unrolled<1>(unrolled<2>(unrolled<3>(unrolled<4>(data[0])))));
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
