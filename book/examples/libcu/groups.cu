// Cooperative groups: a warp, and a part of it, as a value.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// ANCHOR: groups
// Every eight neighbours add up their elements.
extern "C" __global__ void sums_of_eight(const int *in, int *out, int n) {
    cg::thread_block block = cg::this_thread_block();
    auto eight = cg::tiled_partition<8>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = cg::reduce(eight, i < n ? in[i] : 0, cg::plus<int>());
    if (eight.thread_rank() == 0) {
        out[i / 8] = sum;
    }
}
// ANCHOR_END: groups
