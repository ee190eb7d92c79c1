// The guide's producer and consumer: two buffers, each with a cuda::barrier for ready and one for filled.
//@ run --entry flow --grid 1 --block 128 --arg in:i32:64x6=iota --arg out:i32:64 --budget 4000000
//! clean
//! defect 1: race at produce and consume; also=deadlock
//! defect 2: deadlock at filled_wait|ready_wait
//! defect 3: race at init and ready_wait|filled|ready|filled_wait; also=deadlock
//! defect 4: race|deadlock at consume|produce|filled_wait; also=race,deadlock
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ void producer(barrier ready[], barrier filled[], int (*buffer)[64], const int* in)
{
    int t = threadIdx.x;
    for (int i = 0; i < 6; ++i) {
#if DEFECT != 4
        ready[i % 2].arrive_and_wait(); // <- ready_wait
#endif
        buffer[i % 2][t] = in[i * 64 + t]; // <- produce
#if DEFECT == 2
        if (t != 5) (void)filled[i % 2].arrive(); // <- filled
#else
        (void)filled[i % 2].arrive(); // <- filled
#endif
    }
}
__device__ void consumer(barrier ready[], barrier filled[], int (*buffer)[64], int* out)
{
    int t = threadIdx.x - 64, sum = 0;
    (void)ready[0].arrive(); // <- ready
    (void)ready[1].arrive(); // <- ready
    for (int i = 0; i < 6; ++i) {
#if DEFECT != 1
        filled[i % 2].arrive_and_wait(); // <- filled_wait
#endif
        sum += buffer[i % 2][63 - t]; // <- consume
        (void)ready[i % 2].arrive(); // <- ready
    }
    out[t] = sum;
}
extern "C" __global__ void flow(const int* in, int* out)
{
    __shared__ int buffer[2][64];
    __shared__ barrier bar[4];
    if (threadIdx.x < 4) init(bar + threadIdx.x, 128); // <- init
#if DEFECT != 3
    __syncthreads();
#endif
    if (threadIdx.x < 64) producer(bar, bar + 2, buffer, in);
    else consumer(bar, bar + 2, buffer, out);
}
