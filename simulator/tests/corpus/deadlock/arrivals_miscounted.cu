// The warps of a block count themselves in shared memory; one waits until all have come, or one more than there are.
//@ run --entry arrive --grid 1 --block 128 --arg out:i32:1 --budget 2000000
//! clean
//! defect 1: deadlock at wait
extern "C" __global__ void arrive(int* out)
{
    __shared__ int count;
    __shared__ int part[4];
    int t = threadIdx.x, warps = blockDim.x / 32;
#if DEFECT
    warps += 1;
#endif
    if (t == 0) count = 0;
    __syncthreads();
    if (t % 32 == 0) {
        part[t / 32] = t;
        __threadfence_block();
        atomicAdd(&count, 1);
    }
    if (t == 0) {
        while (atomicAdd(&count, 0) < warps) {} // <- wait
        __threadfence_block();
        *out = part[0] + part[1] + part[2] + part[3];
    }
}
