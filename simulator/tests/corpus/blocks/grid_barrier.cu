// A barrier of all blocks by a counter. It needs all of them resident, and fences on both sides.
//@ run --entry phases --grid 4 --block 64 --arg inout:i32:256=zeros --arg inout:u32:1=zeros --arg out:i32:256
//! clean
//! defect 1: race at first and second
//! defect 2: race at first and second
//! defect 3: deadlock at wait; --grid 4500 arg0=inout:i32:288000=zeros arg2=out:i32:288000
__device__ void grid_barrier(unsigned* arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
#if DEFECT != 1
        __threadfence();
#endif
        atomicAdd(arrived, 1u);
#if DEFECT != 2
        while (atomicAdd(arrived, 0u) < gridDim.x) {} // <- wait
#endif
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void phases(int* a, unsigned* arrived, int* out)
{
    int n = gridDim.x * 64, i = blockIdx.x * 64 + threadIdx.x;
    a[i] = i + 1; // <- first
    grid_barrier(arrived);
    out[i] = a[n - 1 - i]; // <- second
}
