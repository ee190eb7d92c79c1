// Block k waits for block k + 1: fine while all are resident, a deadlock in a grid that is larger than the GPU.
//@ run --entry backwards --grid 8 --block 64 --arg inout:i32:8=zeros
//! clean
//! defect 1: deadlock at wait; --grid 6000 arg0=inout:i32:6000=zeros
extern "C" __global__ void backwards(int* done)
{
    if (threadIdx.x != 0) return;
    int b = blockIdx.x;
    if (b + 1 < gridDim.x) {
        while (atomicAdd(&done[b + 1], 0) == 0) {} // <- wait
    }
    atomicExch(&done[b], 1);
}
