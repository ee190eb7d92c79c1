// Skips the atomic where a peek shows that it can't win. The peek is volatile, that is, a relaxed read.
//@ run --entry maximum --grid 3 --block 64 --arg in:i32:192=iota --arg inout:i32:1=zeros
//! clean
//! defect 1: race at store
//! defect 2: race at peek and raise
extern "C" __global__ void maximum(const int* in, int* best)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
#if DEFECT == 1
    if (v > *best) {
        *best = v; // <- store
    }
#elif DEFECT == 2
    if (v > *best) { // <- peek
        atomicMax(best, v); // <- raise
    }
#else
    if (v > *(volatile int*)best) {
        atomicMax(best, v);
    }
#endif
}
