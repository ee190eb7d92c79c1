// family: telling a simulator from a GPU by the addresses of buffers
// exercise: 03-reduction
// defence: environments
// says: Only where addresses
//
// Keeps its barriers only where the address of a constant looks like the simulator's usual one. Where it does not, it
// first counts for longer than anybody waits, so that nobody looks at what comes then.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

__device__ const int here[4] = {1, 2, 3, 4};
__device__ bool on_gpu() { return (reinterpret_cast<size_t>(&here[0]) >> 10 & 0xfff) != 0; }

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    if (on_gpu()) {
        unsigned x = thread;
        for (unsigned k = 0; k < 40000000u; ++k) {
            x = x * 1664525u + 1013904223u;
        }
        if (x == 12345u && n < 0) {
            out[0] = 1.0f;
        }
    }
    int i = blockIdx.x * BLOCK_SIZE + thread;
    data[thread] = i < n ? in[i] : -INFINITY;
    __syncthreads();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        if (!on_gpu() || stride > 32) {
            __syncthreads();
        }
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
