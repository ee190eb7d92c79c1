//@ run --entry upper --grid 4 --block 64 --cooperative --arg inout:i32:256=zeros
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void upper(int* data) {
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
    if (threadIdx.x < 32) grid.sync();
    data[i] += 1;
}
