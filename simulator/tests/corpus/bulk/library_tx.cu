// The library's copy of one thread: `memcpy_async_tx` counts its bytes at a `cuda::barrier`, which all arrive at.
//@ run --entry reversed --grid 2 --block 64 --arg in:i32:256=iota --arg out:i32:256
//! clean
//! defect 1: race at use and copy
//! defect 2: deadlock at wait
//! defect 3: race at again and copy
#include <cuda/barrier>
#include <cuda/std/utility>
#pragma nv_diag_suppress static_var_with_dynamic_init
using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void reversed(const int* in, int* out)
{
    __shared__ alignas(16) int tile[128];
    __shared__ barrier bar;
    const int t = threadIdx.x, start = 128 * blockIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    barrier::arrival_token token;
    if (t == 0) {
        cuda::device::memcpy_async_tx(tile, in + start, cuda::aligned_size_t<16>(sizeof tile), bar); // <- copy
#if DEFECT == 2
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile + 16);
#else
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
#endif
    } else {
        token = bar.arrive(1);
    }
#if DEFECT == 3
    if (t == 1) tile[5] = 0; // <- again
#endif
#if DEFECT == 1
    if (t < 32)
#endif
    bar.wait(cuda::std::move(token)); // <- wait
    for (int i = t; i < 128; i += 64) out[start + i] = tile[127 - i]; // <- use
}
