//! style: cooperative groups, a tile of a kept column by column with padding, four sums in turn.

#include <cooperative_groups.h>

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 16);

namespace cg = cooperative_groups;

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    // Element (row, i) of a lies at [i][row]. A warp is two rows of 16 threads, which write two
    // words of each of 16 rows. The rows are 18 words apart, so no two of these words meet in a
    // bank.
    __shared__ float turned_a[TILE][TILE + 2];
    __shared__ float tile_b[TILE][TILE];
    cg::thread_block block = cg::this_thread_block();
    auto [x, y, z] = block.thread_index();
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    float sums[4] = {};
    for (int first = 0; first < k; first += TILE) {
        turned_a[x][y] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        block.sync();
#pragma unroll
        for (int i = 0; i < TILE; ++i) {
            sums[i % 4] += turned_a[i][y] * tile_b[i][x];
        }
        block.sync();
    }
    if (row < m && column < n) {
        c[row * n + column] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}
