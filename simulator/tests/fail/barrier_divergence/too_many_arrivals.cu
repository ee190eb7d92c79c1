//@ run --entry phase --grid 1 --block 32 --arg out:i32:32
// The last thread arrives for two.
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void phase(int* out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (threadIdx.x == 0) init(&all, 32);
    __syncthreads();
    all.wait(all.arrive(threadIdx.x == 31 ? 2 : 1));
    out[threadIdx.x] = 1;
}
