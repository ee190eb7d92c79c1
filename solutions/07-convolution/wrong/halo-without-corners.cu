//! fails: correct, clean/uninitialized_read
//! why: the halo has four corners, too, and the strips on the four sides leave them out.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 1);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    constexpr int ROWS = BLOCK_HEIGHT * ROWS_PER_THREAD;
    constexpr int MAX_HALO = MAX_FILTER_SIZE - 1;
    __shared__ float tile[ROWS + MAX_HALO][BLOCK_WIDTH + MAX_HALO];
    int radius = filter_size / 2;
    int left = blockIdx.x * BLOCK_WIDTH;
    int top = blockIdx.y * ROWS;

    int x = threadIdx.x;
    int y = threadIdx.y;
    auto load = [&](int y, int x) {
        int image_x = left + x - radius;
        int image_y = top + y - radius;
        bool inside = image_x >= 0 && image_x < width && image_y >= 0 && image_y < height;
        tile[y][x] = inside ? image[image_y * width + image_x] : 0.0f;
    };
    load(y + radius, x + radius);
    if (x < radius) {
        load(y + radius, x);
        load(y + radius, x + radius + BLOCK_WIDTH);
    }
    if (y < radius) {
        load(y, x + radius);
        load(y + radius + BLOCK_HEIGHT, x + radius);
    }
    __syncthreads();

    for (int row = threadIdx.y; row < ROWS; row += BLOCK_HEIGHT) {
        int result_x = left + threadIdx.x;
        int result_y = top + row;
        if (result_x < width && result_y < height) {
            float sum = 0.0f;
            for (int j = 0; j < filter_size; ++j) {
                for (int i = 0; i < filter_size; ++i) {
                    sum = fmaf(filter[j * filter_size + i], tile[row + j][threadIdx.x + i], sum);
                }
            }
            result[result_y * width + result_x] = sum;
        }
    }
}
