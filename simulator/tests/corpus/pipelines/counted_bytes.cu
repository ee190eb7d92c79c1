// Threads' copies report to an mbarrier with noinc arrivals; a tile is summed when its phase is over, and the barrier is used again for the next.
//@ run --entry sums --grid 1 --block 64 --arg in:i32:256=iota --arg out:i32:64 --budget 4000000
//! clean
//! defect 1: race at copy and sum
//! defect 2: deadlock at wait
//! defect 3: race at sum and copy
__device__ __forceinline__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ int tile[64];
    __shared__ unsigned long long ready;
    int t = threadIdx.x, sum = 0;
#if DEFECT == 2
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(at(&ready)) : "memory");
#else
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at(&ready)) : "memory");
#endif
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&tile[t])), "l"(in + k * 64 + t) : "memory"); // <- copy
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&ready)) : "memory"); // <- noinc
#if DEFECT != 1
        unsigned over;
        do { // <- wait
            asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" // <- wait
                         : "=r"(over) // <- wait
                         : "r"(at(&ready)), "r"(k & 1) // <- wait
                         : "memory"); // <- wait
        } while (!over); // <- wait
#else
        __syncthreads();
#endif
        sum += tile[t ^ 37]; // <- sum
#if DEFECT != 3
        __syncthreads();
#endif
    }
    out[t] = sum;
}
//! label 2: the mark missed lines of the same statement
