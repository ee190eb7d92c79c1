// Each block waits for its predecessor by blockIdx, without a ticket, and more blocks than fit: it leans on launch order.
//@ run --entry chain --grid 1000 --block 32 --arg inout:i32:1=zeros --arg out:i32:1000
// status: finished
// save: 1
// reference: launch_order
// expect: * warning @ spin

extern "C" __global__ void chain(int* turn, int* out)
{
    // 48 KiB a block: at most four on a multiprocessor, 528 on the whole GPU.
    __shared__ int large[12288];
    large[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) {
        while (atomicAdd(turn, 0) != blockIdx.x) {} // <- spin
        out[blockIdx.x] = blockIdx.x + large[0];
        atomicAdd(turn, 1);
    }
}
