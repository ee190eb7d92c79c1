// One warp only fetches, for a pipeline whose consumers scale in place what was fetched: they write where the copies read from.
//@ run --entry scale --grid 1 --block 64 --arg inout:i32:32x40=iota --budget 4000000
//! clean
//! defect 1: race at fetch and write
//! defect 2: race at fetch and use; also=deadlock,race
#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init
namespace cg = cooperative_groups;
extern "C" __global__ void scale(int* data)
{
    __shared__ int s[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    auto role = t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (t < 32) {
        for (int k = 0; k < 40; ++k) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[k % 2][t], &data[32 * k + t], sizeof(int), pipe); // <- fetch
            pipe.producer_commit();
        }
    } else {
        for (int k = 0; k < 40; ++k) {
#if DEFECT == 1
            if (k < 39) data[32 * (k + 1) + t - 32] = 0; // <- write
#endif
#if DEFECT != 2
            pipe.consumer_wait();
#endif
            int value = s[k % 2][63 - t]; // <- use
            pipe.consumer_release();
#if DEFECT != 1
            data[32 * k + t - 32] = 3 * value;
#endif
        }
    }
}
//! label 2: consequences were not allowed: consumers that release what they have not waited for let the stages be filled too early, and run a phase ahead
