// Baseline of 12-histogram: the most direct kernel. Every byte is an atomic addition in global
// memory, and all additions go to the same 256 words.
#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[in[i]], 1);
    }
}
