// A grid barrier of one's own, used for several rounds: it counts on, and each round waits for its own multiple.
//@ run --entry rounds --grid 3 --block 32 --arg inout:i32:96=iota --arg inout:i32:96=zeros --arg inout:u32:1=zeros
//! clean
//! defect 1: race at store
//! defect 2: race at store
extern "C" __global__ void rounds(int* a, int* b, unsigned* count)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    int* from = a;
    int* to = b;
    for (unsigned k = 1; k <= 3; ++k) {
        to[i] = from[95 - i] + 1; // <- store
#if DEFECT != 1
        __threadfence();
#endif
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(count, 1);
#if DEFECT == 2
            while (atomicAdd(count, 0) < gridDim.x) {}
#else
            while (atomicAdd(count, 0) < k * gridDim.x) {}
#endif
            __threadfence();
        }
        __syncthreads();
        int* next = from;
        from = to;
        to = next;
    }
}
