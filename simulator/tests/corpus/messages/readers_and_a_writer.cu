// A lock for many readers or one writer in one word: readers count up, a writer sets the top bit when nobody reads.
//@ run --entry table --grid 4 --block 32 --arg inout:u32:1=zeros --arg inout:i32:4=zeros --arg out:i32:4 --budget 4000000
//! clean
//! defect 1: race at write and read
//! defect 2: race at read and write
//! defect 3: race at write
//! defect 4: deadlock|unfinished at enter|alone
#define WRITER 0x80000000u
extern "C" __global__ void table(unsigned* lock, int* data, int* out)
{
    if (threadIdx.x != 0) return;
    int b = blockIdx.x;
    if (b % 2 == 0) {
#if DEFECT == 3
        while (atomicOr(lock, WRITER) & ~WRITER) {} // <- alone
#else
        while (atomicCAS(lock, 0u, WRITER) != 0u) {} // <- alone
#endif
        __threadfence();
        for (int k = 0; k < 4; ++k) data[k] += b + 1; // <- write
#if DEFECT != 1
        __threadfence();
#endif
#if DEFECT != 4
        atomicAnd(lock, ~WRITER);
#endif
    } else {
        for (;;) { // <- enter
            unsigned seen = atomicAdd(lock, 1u); // <- enter
            if (!(seen & WRITER)) break; // <- enter
            atomicSub(lock, 1u); // <- enter
        }
        __threadfence();
        int sum = 0;
#if DEFECT == 2
        atomicSub(lock, 1u);
        for (int k = 0; k < 4; ++k) sum += data[k]; // <- read
#else
        for (int k = 0; k < 4; ++k) sum += data[k]; // <- read
        __threadfence();
        atomicSub(lock, 1u);
#endif
        out[b] = sum;
    }
}
