//@ run --entry phases --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
// cuda::barrier: copies that arrive at it, phases, threads that drop out, and waiting for a while only.
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void phases(const int* in, int* out)
{
    __shared__ int data[96];
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    int t = threadIdx.x;
    if (t == 0) init(&all, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&data[t], &in[t], sizeof(int), all);
    all.arrive_and_wait();
    int sum = data[95 - t];
    if (t >= 64) {
        all.arrive_and_drop();
        out[t] = sum;
        return;
    }
    for (int k = 0; k < 4; ++k) {
        all.arrive_and_wait();
        data[t] = sum;
        auto token = all.arrive();
        while (!all.try_wait_for(decltype(token)(token), cuda::std::chrono::nanoseconds(100))) {}
        sum += data[63 - t];
    }
    out[t] = sum;
}
