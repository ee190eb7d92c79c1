// Every block adds up its part; the block that arrives last adds up the parts.
//@ run --entry total --grid 4 --block 64 --arg in:i32:256=iota --arg inout:i32:4=zeros --arg inout:u32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at part and all
//! defect 2: race at part and all
//! defect 3: race at part and all
extern "C" __global__ void total(const int* in, int* parts, unsigned* arrived, int* out)
{
    __shared__ int sum;
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * 64 + t]);
    __syncthreads();
    if (t == 0) {
        parts[blockIdx.x] = sum; // <- part
#if DEFECT == 3
        __threadfence_block();
#elif DEFECT != 1
        __threadfence();
#endif
        last = atomicAdd(arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
#if DEFECT != 2
        __threadfence();
#endif
        int v = 0;
        for (int k = 0; k < gridDim.x; ++k) {
            v += parts[k]; // <- all
        }
        *out = v;
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
