// The block's own copy: `cuda::memcpy_async` of aligned bytes becomes one bulk copy where the architecture has them.
//@ run --entry added --grid 2 --block 64 --arg in:i32:512=iota --arg out:i32:256
//! clean
//! defect 1: race at use and copy
//! defect 2: race at copy and use
#include <cooperative_groups.h>
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
namespace cg = cooperative_groups;
extern "C" __global__ void added(const int* in, int* out)
{
    __shared__ alignas(16) int tile[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    const int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    block.sync();
    int sum[2] = {};
    for (int part = 0; part < 2; ++part) {
        cuda::memcpy_async(block, tile, in + 256 * blockIdx.x + 128 * part, cuda::aligned_size_t<16>(sizeof tile), bar); // <- copy
#if DEFECT != 1
        bar.arrive_and_wait();
#endif
        for (int i = 0; i < 2; ++i) sum[i] += tile[t + 64 * i]; // <- use
#if DEFECT != 2
        block.sync();
#endif
#if DEFECT == 1
        bar.arrive_and_wait();
#endif
    }
    for (int i = 0; i < 2; ++i) out[128 * blockIdx.x + t + 64 * i] = sum[i];
}
