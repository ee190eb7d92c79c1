//! fails: correct
//! why: the kernel reads 16 bytes at a time, and no thread reads the last n % 16.

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, up to 4096.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

constexpr int BINS = 256;

extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    __shared__ unsigned int mine[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        mine[bin] = 0;
    }
    __syncthreads();

    const uint4 *vectors = reinterpret_cast<const uint4 *>(in);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += gridDim.x * blockDim.x) {
        uint4 vector = vectors[i];
        for (unsigned int word : {vector.x, vector.y, vector.z, vector.w}) {
            for (int shift = 0; shift < 32; shift += 8) {
                atomicAdd(&mine[word >> shift & 0xff], 1);
            }
        }
    }

    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
