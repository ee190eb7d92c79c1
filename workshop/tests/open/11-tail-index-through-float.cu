// 11: the tail's index goes through float. Judge (sim): passed; wrong for n beyond 2^26 or so (2^30 promised).
// 11-coarsening: the largest of n floats, as fast as memory delivers them.
//
// Task
//   Block b finds the maximum of its share of the n floats and writes it to out[b]; the blocks'
//   shares together are all elements. The host launches the kernel twice: over the input, then with
//   one block over the results of the first launch.
//
// Given
//   Blocks have BLOCK_SIZE threads. The first launch has a thread for every 16 floats, rounded up
//   to whole blocks, but at most MOST_BLOCKS blocks, and in some cases two. The second launch has
//   one block. `in` is aligned to 4 bytes, no more: it may start anywhere in a sector. `in` holds
//   exactly n floats, where n is from 0 to 2^30. The maximum of no floats is -INFINITY.
//
// Write
//   Between the marks: each thread keeps the maximum of many elements in a register. Only then the
//   block combines its threads' values, by a tree or by shuffles. The first pair of marks is for
//   code that you need outside the kernel.
//
// Rules
//   NaN and -INFINITY count as in 03-reduction: fmaxf(x, NaN) is x, and if all elements are
//   -INFINITY, so is the maximum. Load all elements but the few at both ends 16 bytes at a time
//   (float4, from addresses that are multiples of 16): a warp's request fetches 128 neighbouring
//   floats. Every sector is read once.
//
// Check
//   grader check 11-coarsening
//   grader hint 11-coarsening          (if you are stuck)

#include "course.cuh"

// Yours to choose: threads in a block, a multiple of 32 from 64 to 1024, and how many blocks at
// most, from 32 to 65535.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

// >>> your code: what reduce_max needs
// The loads that a thread has on their way at once.
constexpr int UNROLL = 4;

__device__ __forceinline__ float largest_of(const float4 *vectors, int i) {
    float4 v = vectors[i];
    return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}
// <<<

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    // >>> your code: the maximum of this block's share goes to out[blockIdx.x]
    int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int threads = gridDim.x * BLOCK_SIZE;

    // How many floats lie before the first address that is a multiple of 16, and how many whole
    // vectors follow.
    int head =
        min(n, static_cast<int>((16 - reinterpret_cast<size_t>(in) % 16) % 16 / sizeof(float)));
    const float4 *vectors = reinterpret_cast<const float4 *>(in + head);
    int count = (n - head) / 4;

    // Each of UNROLL loads has a maximum of its own, so no load waits for another.
    float largest[UNROLL];
    for (int k = 0; k < UNROLL; ++k) {
        largest[k] = -INFINITY;
    }
    int i = thread;
    for (; i + (UNROLL - 1) * threads < count; i += UNROLL * threads) {
#pragma unroll
        for (int k = 0; k < UNROLL; ++k) {
            largest[k] = fmaxf(largest[k], largest_of(vectors, i + k * threads));
        }
    }
    for (; i < count; i += threads) {
        largest[0] = fmaxf(largest[0], largest_of(vectors, i));
    }

    // At most three floats lie before the vectors, and at most three after them.
    int tail = (int)(float)(head + 4 * count) + thread;
    if (thread < head) {
        largest[0] = fmaxf(largest[0], in[thread]);
    }
    if (tail < n) {
        largest[0] = fmaxf(largest[0], in[tail]);
    }

    // Each thread has one value now, and the tree of 03-reduction runs once.
    __shared__ float data[BLOCK_SIZE];
    for (int k = 1; k < UNROLL; ++k) {
        largest[0] = fmaxf(largest[0], largest[k]);
    }
    data[threadIdx.x] = largest[0];
    __syncthreads();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            data[threadIdx.x] = fmaxf(data[threadIdx.x], data[threadIdx.x + stride]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = data[0];
    }
    // <<<
}
