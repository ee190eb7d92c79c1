// At most two warps hold one of two scratch rows at a time: a counting semaphore lets them in, a bit says which row is free.
//@ run --entry rows --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128 --budget 4000000
//! clean
//! defect 1: race at put|take and put|take
//! defect 2: race at put and take
//! defect 3: race at put and take
#include <cuda/semaphore>
using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 4>;
extern "C" __global__ void rows(const int* in, int* out)
{
    __shared__ int scratch[2][32];
    __shared__ int used;
    __shared__ alignas(Semaphore) unsigned char place[sizeof(Semaphore)];
    Semaphore& free_rows = *reinterpret_cast<Semaphore*>(place);
    int t = threadIdx.x, lane = t % 32, row = 0;
    if (t == 0) {
        used = 0;
#if DEFECT == 1
        new (place) Semaphore(3);
#else
        new (place) Semaphore(2);
#endif
    }
    __syncthreads();
    if (lane == 0) {
        free_rows.acquire();
#if DEFECT == 1
        row = atomicOr(&used, 1) & 1;
#else
        while (atomicOr(&used, 1 << row) >> row & 1) row ^= 1;
        __threadfence_block();
#endif
    }
    row = __shfl_sync(0xffffffffu, row, 0);
#if DEFECT != 3
    __syncwarp(); // a shuffle orders no memory
#endif
    scratch[row][lane] = in[t]; // <- put
    __syncwarp();
    out[t] = scratch[row][31 - lane]; // <- take
#if DEFECT != 2
    __syncwarp();
#endif
    if (lane == 0) {
        __threadfence_block();
        atomicAnd(&used, ~(1 << row));
        free_rows.release();
    }
}
//! explore 1: 20
