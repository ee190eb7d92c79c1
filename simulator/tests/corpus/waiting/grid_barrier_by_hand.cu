// A grid-wide barrier by hand with a sense that flips: the last block to arrive resets the count and flips; all data of one step is read by other blocks in the next.
//@ run --entry steps --grid 4 --block 32 --cooperative --arg inout:i32:2=zeros --arg inout:i32:128=iota --arg inout:i32:128=zeros --budget 8000000
//! clean
//! defect 1: race at write|read and write|read
//! defect 2: race at write|read and write|read
//! defect 3: deadlock at spin
//! defect 4: race at write|read and write|read
struct Barrier {
    int count;
    int sense;
};
__device__ void meet(Barrier* barrier, int& sense)
{
#if DEFECT != 4
    __syncthreads();
#endif
    sense ^= 1;
    if (threadIdx.x == 0) {
#if DEFECT != 1
        __threadfence();
#endif
#if DEFECT == 3
        if (atomicAdd(&barrier->count, 1) == gridDim.x) {
#else
        if (atomicAdd(&barrier->count, 1) == gridDim.x - 1) {
#endif
            barrier->count = 0;
            __threadfence();
            atomicExch(&barrier->sense, sense);
        } else {
            while (atomicAdd(&barrier->sense, 0) != sense) __nanosleep(20); // <- spin
        }
        __threadfence();
    }
#if DEFECT != 2
    __syncthreads();
#endif
}
extern "C" __global__ void steps(Barrier* barrier, int* a, int* b)
{
    int i = blockIdx.x * 32 + threadIdx.x, sense = 0;
    for (int step = 0; step < 4; ++step) {
        b[i] = a[(i + 37) % 128] + step; // <- read
        meet(barrier, sense);
        a[i] = b[(i + 91) % 128]; // <- write
        meet(barrier, sense);
    }
}
