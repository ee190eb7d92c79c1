//! style: mdspan: the picture with strides, the window packed, pixels as a matrix of words.

#include <cuda/std/mdspan>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 64);
LAUNCH_CONSTANT(PIXELS_PER_THREAD, 1);

struct Pixel {
    float red, green, blue;
};

// The eye is most sensitive to green. The weights are eighths, so that the sum is exact.
__device__ float luminance_of(float red, float green, float blue) {
    return 0.25f * red + 0.625f * green + 0.125f * blue;
}

constexpr int PIXELS = BLOCK_SIZE * PIXELS_PER_THREAD;
constexpr int COLOURS = 3;
using Matrix = cuda::std::dextents<int, 2>;

extern "C" __global__ void luminance(const Pixel *pixels, float *out, int n) {
    __shared__ float words[PIXELS * COLOURS];
    cuda::std::mdspan<float, cuda::std::extents<int, PIXELS, COLOURS>> tile(words);
    int first = blockIdx.x * PIXELS;
    int count = min(PIXELS, n - first);
    const float *from = &pixels[first].red;
    for (int word = threadIdx.x; word < COLOURS * count; word += BLOCK_SIZE) {
        words[word] = from[word];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += BLOCK_SIZE) {
        out[first + i] = luminance_of(tile(i, 0), tile(i, 1), tile(i, 2));
    }
}

extern "C" __global__ void crop(const float *picture, float *out, int width, int height,
                                int pitch) {
    using Strided = cuda::std::layout_stride::mapping<Matrix>;
    cuda::std::mdspan<const float, Matrix, cuda::std::layout_stride> from(
        picture, Strided(Matrix(height, width), cuda::std::array<int, 2>{pitch, 1}));
    cuda::std::mdspan<float, Matrix> to(out, height, width);
    int k = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (k < width * height) {
        to(k / width, k % width) = from(k / width, k % width);
    }
}
