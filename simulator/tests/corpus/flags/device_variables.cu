// Counters as variables of the module, the last block of a launch sets them back.
//@ run --entry arrive --grid 4 --block 32 --arg out:i32:1
//! clean
//! defect 1: race at sum
//! defect 2: race at sum
//! defect 3: race at arrive
__device__ int total = 0;
__device__ unsigned arrived = 0;
extern "C" __global__ void arrive(int* out)
{
    if (threadIdx.x != 5) return;
#if DEFECT == 1
    total += blockIdx.x; // <- sum
#else
    atomicAdd(&total, blockIdx.x); // <- sum
#endif
#if DEFECT != 2
    __threadfence();
#endif
#if DEFECT == 3
    unsigned before = arrived++; // <- arrive
#else
    unsigned before = atomicInc(&arrived, gridDim.x - 1);
#endif
    if (before == gridDim.x - 1) {
        __threadfence();
        *out = total; // <- sum
        total = 0; // <- sum
    }
}
