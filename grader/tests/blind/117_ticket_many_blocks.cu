// Far more blocks than are resident at once, each waiting for its predecessor: safe, because a ticket gives the order.
//@ run --entry chain --grid 1200 --block 32 --arg inout:i32:1=zeros --arg out:i32:1200
// save: 1
// reference: chain

__device__ unsigned next_ticket;

extern "C" __global__ void chain(int* turn, int* out)
{
    // 48 KiB a block leaves room for four or so blocks on a multiprocessor.
    __shared__ int large[12288];
    large[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) {
        int ticket = atomicAdd(&next_ticket, 1);
        while (atomicAdd(turn, 0) != ticket) {}
        out[ticket] = ticket * 3 + large[0];
        atomicAdd(turn, 1);
    }
}
