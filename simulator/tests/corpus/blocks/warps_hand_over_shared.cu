// Two warps of a block hand over through shared memory with a volatile flag and fences of block scope.
//@ run --entry hand_over --grid 1 --block 64 --arg out:i32:1
//! clean
//! defect 1: race at publish and consume
extern "C" __global__ void hand_over(int* out)
{
    __shared__ int data;
    __shared__ volatile int flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == 0) {
        data = 7; // <- publish
#if !DEFECT
        __threadfence_block();
#endif
        flag = 1;
    }
    if (t == 32) {
        while (flag == 0) {}
        __threadfence_block();
        *out = data; // <- consume
    }
}
