//! fails: correct, clean/out_of_bounds
//! why: rows end at height and columns at width; on a square image the mix-up does not show.

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

    for (int y = threadIdx.y; y < ROWS + 2 * radius; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < BLOCK_WIDTH + 2 * radius; x += BLOCK_WIDTH) {
            int image_x = left + x - radius;
            int image_y = top + y - radius;
            bool inside = image_x >= 0 && image_x < height && image_y >= 0 && image_y < width;
            tile[y][x] = inside ? image[image_y * width + image_x] : 0.0f;
        }
    }
    __syncthreads();

    for (int row = threadIdx.y; row < ROWS; row += BLOCK_HEIGHT) {
        int x = left + threadIdx.x;
        int y = top + row;
        if (x < width && y < height) {
            float sum = 0.0f;
            for (int j = 0; j < filter_size; ++j) {
                for (int i = 0; i < filter_size; ++i) {
                    sum = fmaf(filter[j * filter_size + i], tile[row + j][threadIdx.x + i], sum);
                }
            }
            result[y * width + x] = sum;
        }
    }
}
