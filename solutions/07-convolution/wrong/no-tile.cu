//! fails: global_load_sectors
//! may fail: speedup
//! why: right, but without shared memory every pixel is fetched once for every weight.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 1);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    int radius = filter_size / 2;
    int left = blockIdx.x * BLOCK_WIDTH;
    int top = blockIdx.y * BLOCK_HEIGHT * ROWS_PER_THREAD;
    for (int row = threadIdx.y; row < BLOCK_HEIGHT * ROWS_PER_THREAD; row += BLOCK_HEIGHT) {
        int x = left + threadIdx.x;
        int y = top + row;
        if (x < width && y < height) {
            float sum = 0.0f;
            for (int j = 0; j < filter_size; ++j) {
                for (int i = 0; i < filter_size; ++i) {
                    int image_x = x + i - radius;
                    int image_y = y + j - radius;
                    if (image_x >= 0 && image_x < width && image_y >= 0 && image_y < height) {
                        sum = fmaf(filter[j * filter_size + i], image[image_y * width + image_x],
                                   sum);
                    }
                }
            }
            result[y * width + x] = sum;
        }
    }
}
