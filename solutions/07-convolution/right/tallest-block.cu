//! style: the tallest block, 32 x 32 threads, with the filter taken by reference to its constant table.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 32);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 1);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

using Filter = float[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

__device__ __noinline__ float weigh(const Filter &weights, const float *corner, int pitch,
                                    int size) {
    double sum = 0.0;
    for (int j = 0; j < size; ++j) {
        for (int i = 0; i < size; ++i) {
            sum += static_cast<double>(weights[j * size + i]) * corner[j * pitch + i];
        }
    }
    return static_cast<float>(sum);
}

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    constexpr int PITCH = BLOCK_WIDTH + MAX_FILTER_SIZE - 1;
    __shared__ float tile[(BLOCK_HEIGHT + MAX_FILTER_SIZE - 1) * PITCH];
    int radius = filter_size / 2;
    int left = blockIdx.x * BLOCK_WIDTH - radius;
    int top = blockIdx.y * BLOCK_HEIGHT - radius;
    for (int y = threadIdx.y; y < BLOCK_HEIGHT + 2 * radius; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < BLOCK_WIDTH + 2 * radius; x += BLOCK_WIDTH) {
            int row = top + y;
            int column = left + x;
            bool inside = 0 <= row && row < height && 0 <= column && column < width;
            tile[y * PITCH + x] = inside ? image[row * width + column] : 0.0f;
        }
    }
    __syncthreads();
    int x = left + radius + threadIdx.x;
    int y = top + radius + threadIdx.y;
    if (x < width && y < height) {
        result[y * width + x] =
            weigh(filter, &tile[threadIdx.y * PITCH + threadIdx.x], PITCH, filter_size);
    }
}
