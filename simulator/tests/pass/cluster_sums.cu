//@ run --entry sums --grid 8 --block 64 --cluster 4 --arg in:i32:512=iota --arg out:i32:512
// A scan over a cluster: each block adds the totals of those before it, which it reads in their shared memory. What is stored to
// another block by a vector, and added there by atomics, too.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ int part[64];
    __shared__ int total, most;
    __shared__ int4 sent;
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x, rank = cluster.block_rank();
    part[t] = in[64 * blockIdx.x + t] % 7;
    if (t == 0) most = 0;
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        const int more = t >= d ? part[t - d] : 0;
        __syncthreads();
        part[t] += more;
        __syncthreads();
    }
    if (t == 63) total = part[t];
    cluster.sync();
    int before = 0;
    for (int r = 0; r < rank; ++r) before += *cluster.map_shared_rank(&total, r);
    atomicMax(cluster.map_shared_rank(&most, 0), part[t]);
    if (t == 0) *cluster.map_shared_rank(&sent, rank ^ 1) = make_int4(rank, total, before, 1);
    cluster.sync();
    const int* first = cluster.map_shared_rank(&most, 0);
    out[64 * blockIdx.x + t] = part[t] + before + 1000 * *first + 100000 * (sent.x + sent.w);
    cluster.sync();
}
