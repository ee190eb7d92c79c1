// Block 0 waits for all others' parts, puts them together and lets them go on with the sum.
//@ run --entry gather --grid 7 --block 32 --arg inout:i32:7=zeros --arg inout:u32:1=zeros --arg inout:u32:1=zeros --arg inout:i32:1=zeros --arg out:i32:7 --budget 6000000
//! clean
//! defect 1: race at part and sum
//! defect 2: race at total and use
//! defect 3: deadlock at all|answer
extern "C" __global__ void gather(int* part, unsigned* come, unsigned* go, int* total, int* out)
{
    if (threadIdx.x != 0) return;
    int b = blockIdx.x, n = gridDim.x;
    if (b != 0) {
        part[b] = b * b; // <- part
#if DEFECT != 1
        __threadfence();
#endif
        atomicAdd(come, 1u);
        while (atomicAdd(go, 0u) == 0u) {} // <- answer
        __threadfence();
    } else {
#if DEFECT == 3
        while (atomicAdd(come, 0u) < n) {} // <- all
#else
        while (atomicAdd(come, 0u) < n - 1) {} // <- all
#endif
        __threadfence();
        int sum = 0;
        for (int k = 1; k < n; ++k) sum += part[k]; // <- sum
        *total = sum; // <- total
#if DEFECT != 2
        __threadfence();
#endif
        atomicExch(go, 1u);
    }
    out[b] = *total - b; // <- use
}
