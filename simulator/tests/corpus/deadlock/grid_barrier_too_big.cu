// A grid barrier of one's own works only while all blocks are resident at once: here one fits on each of the H200's 132 multiprocessors.
//@ run --entry meet --grid 132 --block 32 --shared 200000 --arg inout:u32:1=zeros --arg out:i32:133 --budget 4000000
//! clean
//! defect 1: deadlock at wait; --grid 133
extern __shared__ int big[];
extern "C" __global__ void meet(unsigned* count, int* out)
{
    big[threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < gridDim.x) {} // <- wait
        __threadfence();
        out[blockIdx.x] = big[31];
    }
}
