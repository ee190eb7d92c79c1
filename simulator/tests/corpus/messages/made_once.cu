// A table that the first block to come makes for all: a word goes from 0 over 1 to 2, whoever sees 1 waits.
//@ run --entry lazy --grid 5 --block 32 --arg inout:i32:1=zeros --arg inout:i32:32=zeros --arg out:i32:160 --budget 4000000
//! clean
//! defect 1: race at make and use
//! defect 2: race at make and use
//! defect 3: race at make and use
//! defect 4: deadlock at wait
extern "C" __global__ void lazy(int* state, int* table, int* out)
{
    __shared__ int first;
    int t = threadIdx.x;
    if (t == 0) first = atomicCAS(state, 0, 1);
    __syncthreads();
    if (first == 0) {
        table[t] = t * t; // <- make
        __syncthreads();
        if (t == 0) {
#if DEFECT != 1
            __threadfence();
#endif
#if DEFECT == 4
            atomicCAS(state, 0, 2);
#else
            atomicExch(state, 2);
#endif
        }
#if DEFECT == 2
    } else if (first == 2) {
#else
    } else {
#endif
        if (t == 0) {
            while (*(volatile int*)state != 2) {} // <- wait
#if DEFECT != 3
            __threadfence();
#endif
        }
        __syncthreads();
    }
    out[blockIdx.x * 32 + t] = table[31 - t]; // <- use
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
