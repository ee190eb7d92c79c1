// Distances as objects of cuda::atomic_ref: fetch_min, and relaxed loads; of the device's scope, or only the block's.
//@ run --entry relax --grid 7 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg inout:i32:12=iota
//! clean
//! defect 1: race at store
//! defect 2: race at lower
#include <cuda/atomic>
#if DEFECT == 2
using Distance = cuda::atomic_ref<int, cuda::thread_scope_block>;
#else
using Distance = cuda::atomic_ref<int, cuda::thread_scope_device>;
#endif
extern "C" __global__ void relax(const int* row, const int* col, int n, int* distance)
{
    int lane = threadIdx.x % 32, v = (blockIdx.x * 64 + threadIdx.x) / 32;
    if (v >= n) return;
    int mine = Distance(distance[v]).load(cuda::memory_order_relaxed);
    for (int j = row[v] + lane; j < row[v + 1]; j += 32) {
#if DEFECT == 1
        distance[col[j]] = mine + 100; // <- store
#else
        Distance(distance[col[j]]).fetch_min(mine + 1, cuda::memory_order_relaxed); // <- lower
#endif
    }
}
