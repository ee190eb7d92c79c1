// A lock for many readers or one writer, in one word: readers add one, the writer needs zero.
//@ run --entry readers --grid 4 --block 32 --arg inout:i32:1=zeros --arg inout:i32:4=zeros --arg out:i32:3
//! clean
//! defect 1: race at write and read; also=deadlock
//! defect 2: race at write and read
//! defect 3: race at write and read
extern "C" __global__ void readers(int* lock, int* data, int* out)
{
    if (threadIdx.x) return;
    if (blockIdx.x == 2) {
        while (atomicCAS(lock, 0, -1) != 0) {}
        __threadfence();
        for (int k = 0; k < 4; ++k) data[k] += k + 1; // <- write
#if DEFECT != 2
        __threadfence();
#endif
        atomicExch(lock, 0);
    } else {
#if DEFECT == 1
        atomicAdd(lock, 1);
#else
        for (;;) {
            int n = atomicAdd(lock, 0);
            if (n >= 0 && atomicCAS(lock, n, n + 1) == n) break;
        }
#endif
#if DEFECT != 3
        __threadfence();
#endif
        int sum = 0;
        for (int k = 0; k < 4; ++k) sum += data[k]; // <- read
        __threadfence();
        atomicSub(lock, 1);
        out[blockIdx.x - (blockIdx.x > 2)] = sum;
    }
}
//! explore 1: 20
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
