// cuda::pipeline of a block with two stages.
//@ run --entry staged --grid 1 --block 64 --arg in:i32:64x4=iota --arg out:i32:64 --budget 4000000
//! clean
//! defect 1: race at first|next and use
//! defect 2: deadlock at acquire
//! defect 3: race at next and late
#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init
namespace cg = cooperative_groups;
extern "C" __global__ void staged(const int* in, int* out)
{
    __shared__ int s[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[0], in, sizeof(s[0]), pipe); // <- first
    pipe.producer_commit();
    for (int k = 0; k < 4; ++k) {
        if (k < 3) {
            pipe.producer_acquire(); // <- acquire
            cuda::memcpy_async(block, s[(k + 1) % 2], in + 64 * (k + 1), sizeof(s[0]), pipe); // <- next
            pipe.producer_commit();
        }
#if DEFECT != 1
        pipe.consumer_wait();
#endif
        sum += s[k % 2][63 - t]; // <- use
#if DEFECT == 3
        if (k > 0)
#endif
#if DEFECT != 2
        pipe.consumer_release();
#endif
#if DEFECT == 3
        else {
            pipe.consumer_release();
            sum += s[k % 2][62 - t & 63]; // <- late
        }
#endif
    }
    out[t] = sum;
}
