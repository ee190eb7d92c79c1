// Step 5, expert: threads read and write 16 bytes at a time. Each thread turns a patch of 4 x 4 in
// its registers; the tile holds float4s and is swizzled by XOR. A matrix whose sides are not
// multiples of 4 is moved word by word, as in step 4.

#include "course.cuh"

// Yours to choose: TILE_SIDE a multiple of 16 up to 64, BLOCK_WIDTH a multiple of 8 up to 32,
// BLOCK_HEIGHT from 1 to 32.
LAUNCH_CONSTANT(TILE_SIDE, 64);
LAUNCH_CONSTANT(BLOCK_WIDTH, 16);
LAUNCH_CONSTANT(BLOCK_HEIGHT, 16);

// The float4s in a row of the tile. A row of the tile is a column of `in`.
constexpr int QUADS = TILE_SIDE / 4;
// The tiles in a row of a band.
constexpr int BAND = 8;

// Moves a tile as step 4 does, with this block's threads as 32 x 8.
__device__ void transpose_words(float *tile, const float *in, float *out, int width, int height,
                                int left, int top) {
    int thread = threadIdx.y * BLOCK_WIDTH + threadIdx.x;
    int lane = thread % 32;
    int warp = thread / 32;
    for (int row = warp; row < TILE_SIDE; row += 8) {
        for (int column = lane; column < TILE_SIDE; column += 32) {
            if (left + column < width && top + row < height) {
                tile[row * TILE_SIDE + (column ^ row)] = in[(top + row) * width + left + column];
            }
        }
    }
    __syncthreads();
    for (int column = warp; column < TILE_SIDE; column += 8) {
        for (int row = lane; row < TILE_SIDE; row += 32) {
            if (left + column < width && top + row < height) {
                out[(left + column) * height + top + row] = tile[row * TILE_SIDE + (column ^ row)];
            }
        }
    }
}

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    static_assert(BLOCK_WIDTH == TILE_SIDE / 4 && BLOCK_HEIGHT == TILE_SIDE / 4,
                  "one patch of 4 x 4 for each thread");
    __shared__ float4 tile[TILE_SIDE * TILE_SIDE / 4];
    // Blocks start in the order of their numbers. They go down in bands of eight tiles, so that
    // blocks that run at the same time stay close together on both sides, instead of in one long
    // row of `in` and one long column of `out`.
    int number = blockIdx.y * gridDim.x + blockIdx.x;
    int band = number / (BAND * gridDim.y);
    int within = number % (BAND * gridDim.y);
    int band_width = min(BAND, gridDim.x - BAND * band);
    int left = (BAND * band + within % band_width) * TILE_SIDE;
    int top = within / band_width * TILE_SIDE;
    if (width % 4 != 0 || height % 4 != 0) {
        // Rows don't begin at multiples of 16 bytes.
        transpose_words(reinterpret_cast<float *>(tile), in, out, width, height, left, top);
        return;
    }

    // In: four neighbours from each of four rows; the thread asks for all before it uses the first.
    // Sides are multiples of 4, so a patch lies inside as a whole or not at all.
    int quad_x = threadIdx.x;
    int quad_y = threadIdx.y;
    int x = left + 4 * quad_x;
    int y = top + 4 * quad_y;
    if (x < width && y < height) {
        float4 rows[4];
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            rows[j] = *reinterpret_cast<const float4 *>(&in[(y + j) * width + x]);
        }
        // The patch turns in registers. Shared memory serves eight lanes at a time, 16 bytes each;
        // the XOR sends them to eight different groups of four banks, here and below.
        int place = quad_y ^ (quad_x % 8);
        float4 *column = &tile[4 * quad_x * QUADS + place];
        column[0 * QUADS] = make_float4(rows[0].x, rows[1].x, rows[2].x, rows[3].x);
        column[1 * QUADS] = make_float4(rows[0].y, rows[1].y, rows[2].y, rows[3].y);
        column[2 * QUADS] = make_float4(rows[0].z, rows[1].z, rows[2].z, rows[3].z);
        column[3 * QUADS] = make_float4(rows[0].w, rows[1].w, rows[2].w, rows[3].w);
    }
    __syncthreads();

    // Out: a row of the tile is a run of a row of `out`.
    int row = top + 4 * quad_x;
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        int column = quad_y + i * BLOCK_HEIGHT;
        if (left + column < width && row < height) {
            float4 four = tile[column * QUADS + (quad_x ^ (column / 4 % 8))];
            *reinterpret_cast<float4 *>(&out[(left + column) * height + row]) = four;
        }
    }
}
