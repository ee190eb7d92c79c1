//! fails: correct, clean/race, global_store_sectors
//! why: the window's rows have `width` elements; `pitch` is the distance between rows of the
//! picture. With `pitch` for `width`, rows overlap in `out`.

#include "course.cuh"

// Yours to choose: BLOCK_SIZE a multiple of 32 from 64 to 512, PIXELS_PER_THREAD from 1 to 8.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(PIXELS_PER_THREAD, 1);

struct Pixel {
    float red, green, blue;
};

// The eye is most sensitive to green. The weights are eighths, so that the sum is exact.
__device__ float luminance_of(float red, float green, float blue) {
    return 0.25f * red + 0.625f * green + 0.125f * blue;
}

extern "C" __global__ void luminance(const Pixel *pixels, float *out, int n) {
    constexpr int PIXELS = BLOCK_SIZE * PIXELS_PER_THREAD;
    __shared__ float words[3 * PIXELS];
    int first = blockIdx.x * PIXELS;
    int pixels_here = min(PIXELS, n - first);

    const float *from = &pixels[first].red;
    #pragma unroll
    for (int round = 0; round < 3 * PIXELS_PER_THREAD; ++round) {
        int word = round * BLOCK_SIZE + threadIdx.x;
        if (word < 3 * pixels_here) {
            words[word] = from[word];
        }
    }
    __syncthreads();

    for (int i = threadIdx.x; i < pixels_here; i += BLOCK_SIZE) {
        out[first + i] = luminance_of(words[3 * i], words[3 * i + 1], words[3 * i + 2]);
    }
}

extern "C" __global__ void crop(const float *picture, float *out, int width, int height,
                                int pitch) {
    int k = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (k >= width * height) {
        return;
    }
    int row = k / pitch;
    int column = k % pitch;
    out[row * width + column] = picture[row * pitch + column];
}
