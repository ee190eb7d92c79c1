// A sum collected by shared atomics, read by one thread after a barrier.
//@ run --entry sum --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:1
//! clean
//! defect 1: race at add and read
extern "C" __global__ void sum(const int* in, int* out)
{
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, in[threadIdx.x]); // <- add
#if !DEFECT
    __syncthreads();
#endif
    if (threadIdx.x == 63) {
        *out = s; // <- read
    }
}
