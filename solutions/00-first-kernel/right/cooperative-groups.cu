//! style: the grid as a cooperative group; ranks in place of indices.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    cg::grid_group grid = cg::this_grid();
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.num_threads()) {
        out[i] = a[i] + b[i];
    }
}
