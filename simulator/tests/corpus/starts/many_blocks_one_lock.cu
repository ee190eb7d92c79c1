// More blocks than fit pass through a section behind a lock, all threads of a block together, with barriers in the section.
//@ run --entry section --grid 150 --block 64 --shared 200000 --arg inout:i32:1=zeros --arg inout:i32:64=zeros --budget 16000000
//! clean
//! defect 1: race at change
//! defect 2: race at change
//! defect 3: deadlock at lock
extern "C" __global__ void section(int* lock, int* data)
{
    int t = threadIdx.x;
    if (t == 0) {
#if DEFECT == 2
        while (atomicExch(lock, 1) > 1) {} // <- lock
#else
        while (atomicExch(lock, 1) != 0) {} // <- lock
#endif
        __threadfence();
    }
    __syncthreads();
    int v = data[(t + 1) % 64]; // <- change
    __syncthreads();
    data[t] = v + 1; // <- change
    __syncthreads();
    if (t == 0) {
#if DEFECT != 1
        __threadfence();
#endif
#if DEFECT == 3
        if (blockIdx.x != 70) atomicExch(lock, 0);
#else
        atomicExch(lock, 0);
#endif
    }
}
