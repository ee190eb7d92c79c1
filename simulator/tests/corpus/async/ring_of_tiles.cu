// Two buffers, filled by one warp's copies and used by another's: full and empty barriers hand them over.
//@ run --entry ring --grid 1 --block 64 --arg in:i32:32x6=iota --arg out:i32:32 --budget 2000000
//! clean
//! defect 1: deadlock at room
//! defect 2: deadlock at take
//! defect 3: race at copy and use
#include <cuda/barrier>
#include <cuda_pipeline.h>
#pragma nv_diag_suppress static_var_with_dynamic_init
using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void ring(const int* in, int* out)
{
    __shared__ int s[2][32];
    __shared__ barrier full[2], empty[2];
    int t = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int b = 0; b < 2; ++b) {
            init(&full[b], 64);
            init(&empty[b], 64);
        }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int k = 0; k < 6; ++k) {
#if DEFECT != 2
            if (k >= 2) empty[k % 2].arrive_and_wait(); // <- room
#endif
            __pipeline_memcpy_async(&s[k % 2][t], &in[32 * k + t], 4); // <- copy
#if DEFECT != 3
            __pipeline_commit();
            __pipeline_wait_prior(0);
#endif
            (void)full[k % 2].arrive();
        }
    } else {
        int sum = 0;
        for (int k = 0; k < 6; ++k) {
            full[k % 2].arrive_and_wait(); // <- take
            sum += s[k % 2][31 - t]; // <- use
#if DEFECT != 1
            (void)empty[k % 2].arrive();
#endif
        }
        out[t] = sum;
    }
}
//! label 2: was a race at copy and use; but the producer's arrivals alone end phases of the full barriers, so that the consumer waits in vain before it reads
