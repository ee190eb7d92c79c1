// Each block sums its rows of 128 integers; a cuda::pipeline of the block fetches the next row while one is summed.
//@ run --entry sums --grid 3 --block 128 --arg in:i32:15x128=iota --arg out:i32:15 --arg i32:5
// save: 1
// reference: piped_sums
#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void sums(const int* in, int* out, int rows)
{
    __shared__ int row[2][128];
    __shared__ int total[2];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x;
    const int* mine = in + blockIdx.x * rows * 128;
    if (t < 2) total[t] = 0;
    block.sync();
    pipe.producer_acquire();
    cuda::memcpy_async(block, row[0], mine, sizeof(row[0]), pipe);
    pipe.producer_commit();
    for (int k = 0; k < rows; ++k) {
        if (k + 1 < rows) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, row[(k + 1) % 2], mine + 128 * (k + 1), sizeof(row[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        atomicAdd(&total[k % 2], row[k % 2][127 - t] * (t % 3 + 1));
        pipe.consumer_release();
        block.sync();
        if (t == 0) {
            out[blockIdx.x * rows + k] = total[k % 2];
            total[k % 2] = 0;
        }
        block.sync();
    }
}
