// A table is made once by whoever comes first, behind a lock; others look at a flag before they take it.
//@ run --entry lookup --grid 3 --block 64 --arg inout:i32:1=zeros --arg inout:i32:1=zeros --arg inout:i32:32=zeros --arg out:i32:6
//! clean
//! defect 1: race at check and done
//! defect 2: race at make and use
//! defect 3: race at make and use
//! defect 4: race at make and use
extern "C" __global__ void lookup(int* lock, int* ready, int* table, int* out)
{
    if (threadIdx.x % 32 != 0) return;
    int who = blockIdx.x * 2 + threadIdx.x / 32;
#if DEFECT == 1
    if (*ready == 0) { // <- check
#else
    if (atomicAdd(ready, 0) == 0) {
#endif
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        if (atomicAdd(ready, 0) == 0) {
#if DEFECT == 4
            atomicExch(ready, 1);
            __threadfence();
            for (int k = 0; k < 32; ++k) table[k] = k * k; // <- make
#else
            for (int k = 0; k < 32; ++k) table[k] = k * k; // <- make
#if DEFECT != 2
            __threadfence();
#endif
            atomicExch(ready, 1); // <- done
#endif
        }
        __threadfence();
        atomicExch(lock, 0);
    }
#if DEFECT != 3
    __threadfence();
#endif
    out[who] = table[who * 5]; // <- use
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
