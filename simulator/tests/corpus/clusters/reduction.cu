// Each block sums its part; the first of the cluster adds the parts of all.
//@ run --entry reduction --grid 8 --block 64 --cluster 4 --arg in:i32:512=iota --arg out:i32:2
//! clean
//! defect 1: race at gather
//! defect 2: out_of_bounds at gather
//! defect 3: race at total and gather
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void reduction(const int* in, int* out)
{
    __shared__ int total;
    auto cluster = cg::this_cluster();
    int sum = in[blockIdx.x * 64 + threadIdx.x];
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, sum); // <- total
#if DEFECT != 3
    cluster.sync();
#else
    __syncthreads();
#endif
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        int all = 0;
#if DEFECT == 2
        for (unsigned r = 0; r <= cluster.num_blocks(); ++r)
#else
        for (unsigned r = 0; r < cluster.num_blocks(); ++r)
#endif
            all += *cluster.map_shared_rank(&total, r); // <- gather
        out[blockIdx.x / 4] = all;
    }
#if DEFECT != 1
    cluster.sync();
#endif
}
