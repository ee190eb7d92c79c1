// A warp accesses the shared memory of the other block of its cluster, and its own beside it: the block's counters are of its own alone.
// entry: access
// grid: 2
// block: 32
// arg: out:u32:64
// variant: load = --define 'DO=value = there[t]'
// variant: load_stride_8 = --define 'DO=value = there[8*t]'
// variant: store = --define 'DO=there[t] = t'
// variant: store_stride_8 = --define 'DO=there[8*t] = t'
// variant: add = --define 'DO=atomicAdd(&there[t],1u)'
// variant: add_one_word = --define 'DO=atomicAdd(&there[3],1u)'
// variant: exchange = --define 'DO=value = atomicExch(&there[t],t)'
// variant: own_load_by_rank = --define 'DO=value = own[8*t]'
// differs: shared_store_requests: the hardware counts instructions that a predicate turns off for every lane; they make no wavefront
// differs: shared_load_requests @ own_load_by_rank: a load by a generic pointer is none of shared memory to this counter of ncu; its wavefronts are
// differs: global_load_bytes @ load load_stride_8 own_load_by_rank: a load by a generic pointer counts as one of global memory, wherever it leads
// differs: shared_atomic_wavefronts @ add add_one_word exchange: the hardware counts one in the block whose memory it is
#include <cooperative_groups.h>

extern "C" __global__ void __cluster_dims__(2) access(unsigned* out)
{
    __shared__ unsigned words[256];
    auto cluster = cooperative_groups::this_cluster();
    unsigned t = threadIdx.x, value = 0;
    for (unsigned i = t; i < 256; i += 32) words[i] = i;
    unsigned* there = cluster.map_shared_rank(words, cluster.block_rank() ^ 1);
    unsigned* own = cluster.map_shared_rank(words, cluster.block_rank());
    cluster.sync();
    DO;
    cluster.sync();
    out[blockIdx.x * 32 + t] = value + (own == there);
}
