// Every block waits for the last one, which can't start before one of them ends.
//@ run --entry wait_for_last --grid 1000 --block 32 --arg inout:i32:1=zeros --arg out:i32:1000
// status: unfinished|faulted
// expect: deadlock error @ spin

extern "C" __global__ void wait_for_last(int* flag, int* out)
{
    // 48 KiB a block: at most four on a multiprocessor, 528 on the whole GPU.
    __shared__ int large[12288];
    large[threadIdx.x] = threadIdx.x;
    if (blockIdx.x == gridDim.x - 1) {
        if (threadIdx.x == 0) atomicExch(flag, 1);
    } else if (threadIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0) {} // <- spin
    }
    if (threadIdx.x == 0) out[blockIdx.x] = large[0];
}
