//! fails: global_load_sectors, global_atomic_requests
//! may fail: speedup
//! why: right, but every byte is an atomic in global memory: all blocks of the grid queue for the
//! same 256 words.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, up to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[in[i]], 1);
    }
}
