// One thread takes a lock for its block, a barrier lets the others in, another barrier before it is given back.
//@ run --entry whole --grid 3 --block 64 --arg inout:i32:1=zeros --arg inout:i32:64=zeros
//! clean
//! defect 1: race at section
//! defect 2: race at section
//! defect 3: race at section
//! defect 4: race at section
extern "C" __global__ void whole(int* lock, int* data)
{
    int t = threadIdx.x;
    if (t == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
#if DEFECT != 4
        __threadfence();
#endif
    }
#if DEFECT != 1
    __syncthreads();
#endif
    data[63 - t] += t + blockIdx.x; // <- section
#if DEFECT != 2
    __syncthreads();
#endif
    if (t == 0) {
#if DEFECT != 3
        __threadfence();
#endif
        atomicExch(lock, 0);
    }
}
//! label 4: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
