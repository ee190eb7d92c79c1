// Baseline of 02-stencil: every thread reads its whole window from global memory, and the L1 cache
// does the rest.
#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 1);

extern "C" __global__ void stencil(const int *in, int *out, int n, int radius) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i >= n) {
        return;
    }
    int first = max(i - radius, 0);
    int last = min(i + radius, n - 1);
    int sum = 0;
    for (int j = first; j <= last; ++j) {
        sum += in[j];
    }
    out[i] = sum;
}
