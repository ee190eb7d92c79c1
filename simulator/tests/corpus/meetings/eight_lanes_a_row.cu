// Sparse rows by tiles of eight lanes: products of a row are added up by shuffles down the tile.
//@ run --entry rows --grid 1 --block 64 --arg in:i32:11=values:0,3,9,9,20,21,30,38,40,47,60 --arg in:i32:60=iota --arg in:i32:60=ones --arg out:i32:10 --arg i32:10
//! clean
//! defect 1: out_of_bounds at row|item
//! defect 2: race at give
//! defect 3: race at give and take
//! defect 4: out_of_bounds at row
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void rows(const int* start, const int* column, const int* x, int* y, int n)
{
    __shared__ int best;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int r0 = threadIdx.x / 8;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
#if DEFECT == 1
    for (int r = r0; r <= n; r += 8) {
#else
    for (int r = r0; r < n; r += 8) {
#endif
        int sum = 0;
        for (int k = start[r] + tile.thread_rank(); k < start[r + 1]; k += tile.size()) // <- row
            sum += x[column[k]]; // <- item
#if DEFECT == 4
        sum += start[r + 2]; // <- row
#endif
        for (int d = tile.size() / 2; d > 0; d /= 2) sum += tile.shfl_down(sum, d);
#if DEFECT == 2
        if (tile.thread_rank() < 2) y[r] = sum; // <- give
#else
        if (tile.thread_rank() == 0) y[r] = sum; // <- give
#endif
        if (tile.thread_rank() == 0) atomicMax(&best, sum); // <- give
    }
#if DEFECT != 3
    __syncthreads();
#endif
    if (threadIdx.x == 63) y[9] = y[9] * 100 + best; // <- take
}
