// Baseline of 13-fences: the kernel boundary. One launch leaves a partial sum for each block. A
// second launch, of a single block, sees these sums and adds them up.
#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 2048);
LAUNCH_CONSTANT(WAY, 2);

extern "C" __global__ void sum(const int *in, int *partials, unsigned int *arrived, int *out,
                               int n) {
    __shared__ int data[BLOCK_SIZE];
    int mine = 0;
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) {
        mine += in[i];
    }
    data[threadIdx.x] = mine;
    __syncthreads();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            data[threadIdx.x] += data[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = data[0];
    }
}
