//! style: a block 8 threads wide: a row pitch that keeps four rows of threads apart.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_WIDTH, 8);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 32);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 1);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

constexpr int MAX_RADIUS = MAX_FILTER_SIZE / 2;
constexpr int OUTPUT_ROWS = BLOCK_HEIGHT * ROWS_PER_THREAD;
constexpr int TILE_ROWS = OUTPUT_ROWS + 2 * MAX_RADIUS;
// A row has 8 + 14 columns; with this pitch the four rows of a warp are 8 banks apart.
constexpr int PITCH = 40;

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    __shared__ float tile[TILE_ROWS][PITCH];
    int radius = filter_size / 2;
    int left = blockIdx.x * BLOCK_WIDTH - radius;
    int top = blockIdx.y * OUTPUT_ROWS - radius;
    int columns = BLOCK_WIDTH + 2 * radius;
    int rows = OUTPUT_ROWS + 2 * radius;
    // The threads take all places in turn: a warp reads runs of a row, not four rows of eight.
    for (int place = threadIdx.y * BLOCK_WIDTH + threadIdx.x; place < rows * columns;
         place += BLOCK_WIDTH * BLOCK_HEIGHT) {
        int y = place / columns;
        int x = place % columns;
        bool inside = 0 <= top + y && top + y < height && 0 <= left + x && left + x < width;
        tile[y][x] = inside ? image[(top + y) * width + left + x] : 0.0f;
    }
    __syncthreads();

    int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
    int y = blockIdx.y * OUTPUT_ROWS + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int j = 0; j < filter_size; ++j) {
            for (int i = 0; i < filter_size; ++i) {
                sum += filter[j * filter_size + i] * tile[threadIdx.y + j][threadIdx.x + i];
            }
        }
        result[y * width + x] = sum;
    }
}
