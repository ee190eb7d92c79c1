// Blocks leave their sums, and the last one to finish adds them up; it may not read them through the read-only cache.
//@ run --entry total --grid 4 --block 64 --arg in:i32:256=iota --arg inout:i32:4=zeros --arg inout:u32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at sum and put
extern "C" __global__ void total(const int* in, int* sums, unsigned* finished, int* out)
{
    __shared__ int sum;
    int t = threadIdx.x;
    if (t == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, __ldg(&in[blockIdx.x * 64 + t]));
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = sum; // <- put
        __threadfence();
        if (atomicAdd(finished, 1) == gridDim.x - 1) {
            __threadfence();
            int all = 0;
#if DEFECT == 1
            for (int b = 0; b < gridDim.x; ++b) all += __ldg(&sums[b]); // <- sum
#else
            for (int b = 0; b < gridDim.x; ++b) all += sums[b]; // <- sum
#endif
            *out = all;
        }
    }
}
