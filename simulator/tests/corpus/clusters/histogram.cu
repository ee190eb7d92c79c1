// A histogram whose bins are spread over the blocks of a cluster.
//@ run --entry histogram --grid 4 --block 128 --cluster 2 --arg in:i32:1024=iota --arg inout:i32:64=zeros
//! clean
//! defect 1: race at zero and count
//! defect 2: race at count
//! defect 3: race at count and sum
//! defect 4: race at count
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void histogram(const int* in, int* bins)
{
    __shared__ int part[32];
    auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    if (t < 32) part[t] = 0; // <- zero
#if DEFECT == 1
    __syncthreads();
#else
    cluster.sync();
#endif
    for (int i = blockIdx.x * 256 + t; i < blockIdx.x * 256 + 256; i += 128) {
        const int bin = in[i] * 7 % 64;
        int* owner = cluster.map_shared_rank(part, bin / 32);
#if DEFECT == 2
        owner[bin % 32] = owner[bin % 32] + 1; // <- count
#elif DEFECT == 4
        atomicAdd_block(&owner[bin % 32], 1); // <- count
#else
        atomicAdd(&owner[bin % 32], 1); // <- count
#endif
    }
#if DEFECT == 3
    __syncthreads();
#else
    cluster.sync();
#endif
    if (t < 32) atomicAdd(&bins[32 * cluster.block_rank() + t], part[t]); // <- sum
}
