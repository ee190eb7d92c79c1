// Each block leaves a value for the next launch. Who reads its neighbour's in the same launch reads too soon, or too late.
//@ run --entry chain --grid 4 --block 32 --arg inout:i32:4=iota --arg out:i32:4
//! clean
//! defect 1: race at leave and take
//! defect 2: race at leave and take
extern "C" __global__ void chain(int* carry, int* out)
{
    struct Neighbour {
        int* c;
        __device__ int before() const { return blockIdx.x ? c[blockIdx.x - 1] : 0; } // <- take
    } n{carry};
    if (threadIdx.x) return;
#if DEFECT == 2
    __threadfence();
#endif
#if DEFECT
    out[blockIdx.x] = n.before();
#else
    out[blockIdx.x] = carry[blockIdx.x];
#endif
    carry[blockIdx.x] = blockIdx.x * 3; // <- leave
#if DEFECT == 2
    __threadfence();
#endif
}
