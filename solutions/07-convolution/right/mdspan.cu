//! style: mdspan for image, result, filter and tile, and a class that reads zeros outside the image.

#include <cuda/std/mdspan>

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_WIDTH, 64);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 4);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 4);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

constexpr int OUTPUT_ROWS = BLOCK_HEIGHT * ROWS_PER_THREAD;
constexpr int TILE_ROWS = OUTPUT_ROWS + MAX_FILTER_SIZE - 1;
constexpr int TILE_COLUMNS = BLOCK_WIDTH + MAX_FILTER_SIZE - 1;
using Matrix = cuda::std::dextents<int, 2>;

// An image with zeros around it.
class Padded {
  public:
    __device__ Padded(const float *pixels, int height, int width)
        : pixels_(pixels, height, width) {}
    __device__ float operator()(int row, int column) const {
        bool inside =
            0 <= row && row < pixels_.extent(0) && 0 <= column && column < pixels_.extent(1);
        return inside ? pixels_(row, column) : 0.0f;
    }

  private:
    cuda::std::mdspan<const float, Matrix> pixels_;
};

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    __shared__ float words[TILE_ROWS * TILE_COLUMNS];
    cuda::std::mdspan<float, cuda::std::extents<int, TILE_ROWS, TILE_COLUMNS>> tile(words);
    cuda::std::mdspan<const float, Matrix> weights(filter, filter_size, filter_size);
    cuda::std::mdspan<float, Matrix> results(result, height, width);
    Padded padded(image, height, width);
    int radius = filter_size / 2;
    int left = blockIdx.x * BLOCK_WIDTH;
    int top = blockIdx.y * OUTPUT_ROWS;
    for (int y = threadIdx.y; y < OUTPUT_ROWS + 2 * radius; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < BLOCK_WIDTH + 2 * radius; x += BLOCK_WIDTH) {
            tile(y, x) = padded(top + y - radius, left + x - radius);
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < OUTPUT_ROWS && top + y < height; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < BLOCK_WIDTH && left + x < width; x += BLOCK_WIDTH) {
            float sum = 0.0f;
            for (int j = 0; j < weights.extent(0); ++j) {
                for (int i = 0; i < weights.extent(1); ++i) {
                    sum += weights(j, i) * tile(y + j, x + i);
                }
            }
            results(top + y, left + x) = sum;
        }
    }
}
