//! fails: global_load_sectors
//! why: the naive kernel is for comparison: it reads every window from global memory.
// Step 1: every thread reads what it needs from global memory. There is no barrier that a thread
// could miss, so threads without a pixel may leave.

#include "course.cuh"

// Yours to choose: BLOCK_WIDTH a multiple of 8 up to 128, BLOCK_HEIGHT from 1 to 32,
// ROWS_PER_THREAD from 1 to 16.
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 1);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
    int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    int radius = filter_size / 2;
    float sum = 0.0f;
    for (int j = 0; j < filter_size; ++j) {
        for (int i = 0; i < filter_size; ++i) {
            int image_x = x + i - radius;
            int image_y = y + j - radius;
            if (image_x >= 0 && image_x < width && image_y >= 0 && image_y < height) {
                sum = fmaf(filter[j * filter_size + i], image[image_y * width + image_x], sum);
            }
        }
    }
    result[y * width + x] = sum;
}
