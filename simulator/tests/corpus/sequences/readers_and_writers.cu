// A lock for many readers or one writer: readers count themselves in and out, a writer takes a count of zero down to -1.
//@ run --entry shared_lock --grid 4 --block 32 --arg inout:i32:1=zeros --arg inout:i32:4=zeros --arg out:i32:4
//! clean
//! defect 1: race at write and read
//! defect 2: race at write|read
extern "C" __global__ void shared_lock(int* lock, int* data, int* out)
{
    if (threadIdx.x != 0) return;
    int b = blockIdx.x;
    if (b % 2 == 0) {
#if DEFECT == 2
        while (atomicAdd(lock, 0) < 0) {}
#else
        while (atomicCAS(lock, 0, -1) != 0) {}
#endif
        __threadfence();
        data[0] += 1; // <- write
        __threadfence();
#if DEFECT != 2
        atomicExch(lock, 0);
#endif
    } else {
        int n;
        do {
            n = atomicAdd(lock, 0);
        } while (n < 0 || atomicCAS(lock, n, n + 1) != n);
        __threadfence();
#if DEFECT == 1
        atomicAdd(lock, -1);
        out[b] = data[0]; // <- read
#else
        out[b] = data[0];
        __threadfence();
        atomicAdd(lock, -1);
#endif
    }
}
