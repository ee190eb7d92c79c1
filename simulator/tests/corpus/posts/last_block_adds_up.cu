// The guide's sum in one kernel: volatile partial sums, a fence, a counter that wraps, and a second sum by the last block.
//@ run --entry total --grid 5 --block 64 --arg in:f32:640=iota --arg inout:f32:5=zeros --arg inout:u32:1=zeros --arg out:f32:1 --arg u32:640
//! clean
//! defect 1: race at publish and collect
//! defect 2: race at decide and last
//! defect 3: race at partial
//! defect 4: race at publish and collect
//! defect 5: out_of_bounds at collect
#if DEFECT == 1 || DEFECT == 4
using Seen = const float;
#else
using Seen = const volatile float;
#endif
__device__ float sum_of_block(Seen* array, unsigned n, unsigned first, unsigned stride)
{
    __shared__ float s[64];
    float sum = 0;
#if DEFECT == 5
    for (unsigned i = first; i <= n; i += stride) sum += array[i]; // <- collect
#else
    for (unsigned i = first; i < n; i += stride) sum += array[i]; // <- collect
#endif
    s[threadIdx.x] = sum; // <- partial
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; // <- partial
#if DEFECT != 3
        __syncthreads();
#endif
    }
    return s[0]; // <- partial
}
extern "C" __global__ void total(const float* array, volatile float* result, unsigned* count, float* out, unsigned n)
{
    __shared__ bool isLastBlockDone;
    float partialSum = sum_of_block(array, n, blockIdx.x * blockDim.x + threadIdx.x, blockDim.x * gridDim.x);
    if (threadIdx.x == 0) {
#if DEFECT == 4
        ((float*)result)[blockIdx.x] = partialSum; // <- publish
        __threadfence_block();
#else
        result[blockIdx.x] = partialSum; // <- publish
#if DEFECT != 1
        __threadfence();
#endif
#endif
        unsigned value = atomicInc(count, gridDim.x);
        isLastBlockDone = value == gridDim.x - 1; // <- decide
    }
#if DEFECT != 2
    __syncthreads();
#endif
    if (isLastBlockDone) { // <- last
        __threadfence();
        float totalSum = sum_of_block((Seen*)result, gridDim.x, threadIdx.x, blockDim.x);
        if (threadIdx.x == 0) {
            *out = totalSum;
            *count = 0;
        }
    }
}
