// Atomics of block scope on a counter per block; after a grid-wide hand-over the last block reads all counters.
//@ run --entry counts --grid 3 --block 64 --arg inout:i32:3=zeros --arg inout:u32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at add
//! defect 2: race at add and total
//! defect 3: race at add
extern "C" __global__ void counts(int* n, unsigned* done, int* out)
{
    __shared__ bool last;
    int t = threadIdx.x;
#if DEFECT == 1
    atomicAdd_block(&n[t % 3], 1); // <- add
#elif DEFECT == 3
    n[blockIdx.x] += 1; // <- add
#else
    atomicAdd_block(&n[blockIdx.x], t); // <- add
#endif
    __syncthreads();
    if (t == 0) {
#if DEFECT != 2
        __threadfence();
#endif
        last = atomicAdd(done, 1) == gridDim.x - 1;
        __threadfence();
        if (last) *out = n[0] + n[1] + n[2]; // <- total
    }
}
