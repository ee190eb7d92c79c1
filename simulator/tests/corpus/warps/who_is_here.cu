// Sums over whoever happens to come together: they are right for any parts, and a sum over "the warp" is not.
//@ run --entry sum --grid 2 --block 64 --arg in:i32:100=iota --arg inout:i32:1=zeros --arg out:i32:4 --arg i32:100
//! clean
//! defect 1: uninitialized_read at keep
//! defect 2: race at fold
//! defect 3: race at fold
//! defect 4: uninitialized_read at keep
//! defect 5: race at turn
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sum(const int* in, int* total, int* out, int n)
{
    __shared__ int data[64];
    int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 64 + t;
#if DEFECT == 4
    if (i >= n) return;
#endif
#if !DEFECT
    // Nothing has parted the lanes yet.
    if (__shfl_xor_sync(__activemask(), t, 1) != (t ^ 1)) atomicAdd(total, 1);
#endif
    int v = i < n ? in[i] : 0;
    if (v % 3 == 0) {
        v += 1;
        __nanosleep(20);
    }
#if DEFECT == 1
    unsigned mask = __activemask();
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(mask, v, d);
#elif DEFECT == 2
    unsigned mask = __activemask();
    data[t] = v; // <- fold
    __syncwarp(mask);
    for (int d = 16; d; d /= 2) {
        if (lane < d) data[t] += data[t + d]; // <- fold
        __syncwarp(mask);
    }
    v = data[t];
#elif DEFECT == 3
    data[t] = v;
    __syncwarp();
    for (int d = 16; d; d /= 2) {
        if (lane < d) {
            data[t] += data[t + d]; // <- fold
            __syncwarp(__activemask());
        }
    }
    v = data[t];
#elif DEFECT == 4
    unsigned mask = __activemask();
    for (int d = 16; d; d /= 2) {
        int other = __shfl_down_sync(mask, v, d);
        if (i + d < n) v += other;
    }
#elif DEFECT == 5
    data[t] = v; // <- turn
    cg::coalesced_threads().sync();
    v = data[t ^ 31]; // <- turn
#else
    // Any parts give the same sum in the end.
    if (v % 2 == 0) {
        unsigned mask = __activemask();
        int part = __reduce_add_sync(mask, v);
        if (lane == __ffs(mask) - 1) atomicAdd(total, part);
    } else {
        auto here = cg::coalesced_threads();
        int part = cg::reduce(here, v, cg::plus<int>());
        if (here.thread_rank() == 0) atomicAdd(total, part);
    }
    unsigned same = __match_any_sync(__activemask(), v % 5);
    if (lane == __ffs(same) - 1) atomicAdd(total, v % 5 * __popc(same));
    // The whole warp is named by those who know that it comes.
    data[t] = v;
    __syncwarp();
    v = data[t ^ 31];
#endif
    if (lane == 0 && i < n) out[i / 32] = v; // <- keep
}
