// One warp waits for a flag that another raises behind a barrier for which all must come.
//@ run --entry cross --grid 1 --block 64 --arg out:i32:1 --budget 2000000
//! clean
//! defect 1: deadlock at wait|barrier
extern "C" __global__ void cross(int* out)
{
    __shared__ int flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
#if !DEFECT
    if (t == 0) atomicExch(&flag, 1);
#endif
    if (t == 32) {
        while (atomicAdd(&flag, 0) == 0) {} // <- wait
    }
    __syncthreads(); // <- barrier
#if DEFECT
    if (t == 0) atomicExch(&flag, 1);
#endif
    if (t == 0) *out = 1;
}
