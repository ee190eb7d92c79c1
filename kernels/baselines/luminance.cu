// Baseline of 01-coalescing: each thread reads its own struct, and the L1 cache keeps what
// neighbours will want.
#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(PIXELS_PER_THREAD, 1);

struct Pixel {
    float red, green, blue;
};

extern "C" __global__ void luminance(const Pixel *pixels, float *out, int n) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        Pixel pixel = pixels[i];
        out[i] = 0.25f * pixel.red + 0.625f * pixel.green + 0.125f * pixel.blue;
    }
}

extern "C" __global__ void crop(const float *picture, float *out, int width, int height,
                                int pitch) {
    int k = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (k >= width * height) {
        return;
    }
    int row = k % height;
    int column = k / height;
    out[row * width + column] = picture[row * pitch + column];
}
