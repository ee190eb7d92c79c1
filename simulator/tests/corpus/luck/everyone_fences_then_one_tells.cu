// All threads of a block write, each fences, the block meets, one thread draws a number: the usual form of a hand-over by a whole block.
//@ run --entry hand --grid 3 --block 64 --arg inout:i32:192=zeros --arg inout:u32:1=zeros --arg out:i32:64
//! clean
//! defect 1: race at write and read
//! defect 2: race at write and read
extern "C" __global__ void hand(int* parts, unsigned* count, int* out)
{
    __shared__ bool last;
    int t = threadIdx.x;
    parts[blockIdx.x * 64 + t] = t + blockIdx.x; // <- write
#if DEFECT != 1
    __threadfence();
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    if (t == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        out[t] = parts[t] + parts[64 + t] + parts[128 + t]; // <- read
    }
}
