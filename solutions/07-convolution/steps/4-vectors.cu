// Step 4, expert: each thread computes four neighbouring results in each of several rows, and every
// access to memory moves four pixels. A small filter has little arithmetic for each pixel. So it
// matters that few instructions move a pixel, and that each thread asks for all its loads before it
// waits for the first.

#include "course.cuh"

// Yours to choose: BLOCK_WIDTH a multiple of 8 up to 128, BLOCK_HEIGHT from 1 to 32,
// ROWS_PER_THREAD from 1 to 16.
LAUNCH_CONSTANT(BLOCK_WIDTH, 128);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 2);
LAUNCH_CONSTANT(ROWS_PER_THREAD, 16);

constexpr int MAX_FILTER_SIZE = 15;
__constant__ float filter[MAX_FILTER_SIZE * MAX_FILTER_SIZE];

// The floats that one instruction can move.
constexpr int VECTOR = 4;
constexpr int THREADS = BLOCK_WIDTH * BLOCK_HEIGHT;
constexpr int ROWS = BLOCK_HEIGHT * ROWS_PER_THREAD;
// For the sums the threads are arranged anew: each warp has a GROUP of rows, and each lane a vector
// of columns.
constexpr int LANES = BLOCK_WIDTH / VECTOR;
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr int GROUP = ROWS / (THREADS / LANES);
static_assert(LANES == 32 && GROUP * THREADS / LANES == ROWS);

// The halo on either side takes whole vectors.
constexpr int MAX_MARGIN = 8;
constexpr int MAX_HALO = MAX_FILTER_SIZE - 1;
using Tile = float[ROWS + MAX_HALO][BLOCK_WIDTH + 2 * MAX_MARGIN];

__device__ __forceinline__ float4 &vector_at(float *first) {
    return *reinterpret_cast<float4 *>(first);
}
__device__ __forceinline__ float4 vector_at(const float *first) {
    return *reinterpret_cast<const float4 *>(first);
}

// For images whose rows all begin at multiples of 16 bytes: a vector lies inside the image or
// outside, never half inside.
template <int SIZE>
__device__ __forceinline__ void convolve_vectors(Tile &tile, const float *image, float *result,
                                                 int width, int height) {
    constexpr int RADIUS = SIZE / 2;
    constexpr int MARGIN = ceil_div(RADIUS, VECTOR) * VECTOR;
    int left = blockIdx.x * BLOCK_WIDTH;
    int top = blockIdx.y * ROWS;
    int thread = threadIdx.y * BLOCK_WIDTH + threadIdx.x;

    // The threads load the tile's vectors, row after row. The number of rounds is a constant: both
    // loops unroll, `loaded` lies in registers, and the reads of all rounds are on their way before
    // a thread waits for the first.
    constexpr int ROW_VECTORS = (BLOCK_WIDTH + 2 * MARGIN) / VECTOR;
    constexpr int TILE_VECTORS = ROW_VECTORS * (ROWS + SIZE - 1);
    constexpr int ROUNDS = ceil_div(TILE_VECTORS, THREADS);
    float4 loaded[ROUNDS];
#pragma unroll
    for (int round = 0; round < ROUNDS; ++round) {
        int at = round * THREADS + thread;
        int image_x = left + at % ROW_VECTORS * VECTOR - MARGIN;
        int image_y = top + at / ROW_VECTORS - RADIUS;
        bool inside = image_x >= 0 && image_x < width && image_y >= 0 && image_y < height;
        loaded[round] = float4{};
        if (inside && at < TILE_VECTORS) {
            loaded[round] = vector_at(&image[image_y * width + image_x]);
        }
    }
#pragma unroll
    for (int round = 0; round < ROUNDS; ++round) {
        int at = round * THREADS + thread;
        if (at < TILE_VECTORS) {
            vector_at(&tile[at / ROW_VECTORS][at % ROW_VECTORS * VECTOR]) = loaded[round];
        }
    }
    __syncthreads();

    // A row of the tile serves every row of results that it reaches. Each lane reads its own vector
    // and the whole vectors beside it that its window covers. Of the next vector on either side it
    // needs a part, which a neighbouring lane has read: shuffles bring that part. The two outermost
    // lanes lack a neighbour and read the part from the tile.
    constexpr int WHOLE = RADIUS / VECTOR * VECTOR;
    constexpr int PART = RADIUS % VECTOR;
    constexpr int READ = VECTOR + 2 * WHOLE;
    int lane = thread % LANES;
    int column = lane * VECTOR;
    int first = thread / LANES * GROUP;
    float sums[GROUP][VECTOR] = {};
#pragma unroll
    for (int y = 0; y < GROUP + SIZE - 1; ++y) {
        const float *pixel = &tile[first + y][MARGIN + column];
        float pixels[PART + READ + PART];
#pragma unroll
        for (int x = 0; x < READ; x += VECTOR) {
            float4 four = vector_at(&pixel[x - WHOLE]);
            pixels[PART + x] = four.x;
            pixels[PART + x + 1] = four.y;
            pixels[PART + x + 2] = four.z;
            pixels[PART + x + 3] = four.w;
        }
#pragma unroll
        for (int x = 0; x < PART; ++x) {
            pixels[x] = __shfl_up_sync(ALL_LANES, pixels[x + VECTOR], 1);
            pixels[PART + READ + x] =
                __shfl_down_sync(ALL_LANES, pixels[PART + READ + x - VECTOR], 1);
            if (lane == 0) {
                pixels[x] = pixel[x - RADIUS];
            }
            if (lane == LANES - 1) {
                pixels[PART + READ + x] = pixel[VECTOR + WHOLE + x];
            }
        }
#pragma unroll
        for (int row = 0; row < GROUP; ++row) {
            int j = y - row;
            if (j >= 0 && j < SIZE) {
#pragma unroll
                for (int i = 0; i < SIZE; ++i) {
#pragma unroll
                    for (int x = 0; x < VECTOR; ++x) {
                        sums[row][x] = fmaf(filter[j * SIZE + i], pixels[x + i], sums[row][x]);
                    }
                }
            }
        }
    }

#pragma unroll
    for (int row = 0; row < GROUP; ++row) {
        int x = left + column;
        int y = top + first + row;
        if (x < width && y < height) {
            vector_at(&result[y * width + x]) =
                make_float4(sums[row][0], sums[row][1], sums[row][2], sums[row][3]);
        }
    }
}

// For all other images: this moves a float at a time, as the solution does.
__device__ void convolve_floats(Tile &tile, const float *image, float *result, int width,
                                int height, int filter_size) {
    int radius = filter_size / 2;
    int left = blockIdx.x * BLOCK_WIDTH;
    int top = blockIdx.y * ROWS;

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

extern "C" __global__ void __launch_bounds__(THREADS)
    convolve(const float *image, float *result, int width, int height, int filter_size) {
    alignas(float4) __shared__ Tile tile;
    if (width % VECTOR != 0) {
        return convolve_floats(tile, image, result, width, height, filter_size);
    }
    switch (filter_size) {
    case 1: return convolve_vectors<1>(tile, image, result, width, height);
    case 3: return convolve_vectors<3>(tile, image, result, width, height);
    case 5: return convolve_vectors<5>(tile, image, result, width, height);
    case 7: return convolve_vectors<7>(tile, image, result, width, height);
    case 9: return convolve_vectors<9>(tile, image, result, width, height);
    case 11: return convolve_vectors<11>(tile, image, result, width, height);
    case 13: return convolve_vectors<13>(tile, image, result, width, height);
    case 15: return convolve_vectors<15>(tile, image, result, width, height);
    }
}
