// Tiles of eight lanes work on a vertex each and reduce by shuffles; the last lanes belong to no vertex.
//@ run --entry degrees --grid 2 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:i32:12=iota --arg out:i32:12
//! clean
//! defect 1: race at put
//! defect 2: race at share and theirs
//! defect 3: out_of_bounds at rows
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void degrees(const int* row, const int* col, int n, const int* data, int* out)
{
    __shared__ int shared[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = (blockIdx.x * 64 + threadIdx.x) / 8, lane = tile.thread_rank();
#if DEFECT == 3
    if (v > n) return;
#else
    if (v >= n) return;
#endif
    int sum = 0;
    for (int j = row[v] + lane; j < row[v + 1]; j += 8) sum += data[col[j]]; // <- rows
    shared[threadIdx.x] = sum; // <- share
#if DEFECT != 2
    tile.sync();
#endif
    sum += shared[threadIdx.x ^ 1]; // <- theirs
    for (int d = 4; d > 1; d /= 2) sum += tile.shfl_xor(sum, d);
#if DEFECT == 1
    out[v] = sum + lane; // <- put
#else
    if (lane == 0) out[v] = sum; // <- put
#endif
}
