//@ run --entry phase --grid 1 --block 64 --arg out:i32:64
// A barrier in shared memory for more arrivals than there are threads.
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void phase(int* out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (threadIdx.x == 0) init(&all, 65);
    __syncthreads();
    all.arrive_and_wait();
    out[threadIdx.x] = 1;
}
