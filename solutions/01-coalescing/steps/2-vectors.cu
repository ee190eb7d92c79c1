// Step 2, expert: 16 bytes at a time. luminance: each thread takes four pixels, which it reads as
// three float4s that are all under way at once. crop: a thread copies four elements.

#include "course.cuh"

// Yours to choose: BLOCK_SIZE a multiple of 32 from 64 to 512, PIXELS_PER_THREAD from 1 to 8.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(PIXELS_PER_THREAD, 4);

struct Pixel {
    float red, green, blue;
};

// The eye is most sensitive to green. The weights are eighths, so that the sum is exact.
__device__ float luminance_of(float red, float green, float blue) {
    return 0.25f * red + 0.625f * green + 0.125f * blue;
}

// Whether a float4 can begin here.
__device__ bool is_aligned(const float *from) { return reinterpret_cast<size_t>(from) % 16 == 0; }

extern "C" __global__ void luminance(const Pixel *pixels, float *out, int n) {
    static_assert(PIXELS_PER_THREAD % 4 == 0, "whole float4s for each thread");
    constexpr int PIXELS = BLOCK_SIZE * PIXELS_PER_THREAD;
    __shared__ __align__(16) float words[3 * PIXELS];
    int first = blockIdx.x * PIXELS;
    int pixels_here = min(PIXELS, n - first);
    int thread = threadIdx.x;

    // A full block that begins at a multiple of 16 bytes asks for all its reads before it uses the
    // first.
    const float *from = &pixels[first].red;
    constexpr int QUADS = 3 * PIXELS_PER_THREAD / 4;
    if (pixels_here == PIXELS && is_aligned(from)) {
        float4 quads[QUADS];
        #pragma unroll
        for (int round = 0; round < QUADS; ++round) {
            quads[round] = reinterpret_cast<const float4 *>(from)[round * BLOCK_SIZE + thread];
        }
        #pragma unroll
        for (int round = 0; round < QUADS; ++round) {
            reinterpret_cast<float4 *>(words)[round * BLOCK_SIZE + thread] = quads[round];
        }
    } else {
        for (int word = thread; word < 3 * pixels_here; word += BLOCK_SIZE) {
            words[word] = from[word];
        }
    }
    __syncthreads();

    #pragma unroll
    for (int item = 0; item < PIXELS_PER_THREAD; ++item) {
        int i = item * BLOCK_SIZE + thread;
        if (i < pixels_here) {
            out[first + i] = luminance_of(words[3 * i], words[3 * i + 1], words[3 * i + 2]);
        }
    }
}

extern "C" __global__ void crop(const float *picture, float *out, int width, int height,
                                int pitch) {
    int first = blockIdx.x * BLOCK_SIZE;
    int end = min(first + BLOCK_SIZE, width * height);

    // Where rows are whole float4s, a quarter of the threads copies all of the block's elements, and
    // each of them divides once for four.
    bool whole = (width | pitch) % 4 == 0 && is_aligned(picture);
    int k = first + (whole ? 4 : 1) * threadIdx.x;
    if (k >= end) {
        return;
    }
    int row = k / width;
    int column = k % width;
    const float *from = &picture[row * pitch + column];
    if (whole) {
        *reinterpret_cast<float4 *>(&out[k]) = *reinterpret_cast<const float4 *>(from);
    } else {
        out[k] = *from;
    }
}
