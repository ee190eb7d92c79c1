// A dot product: partial sums of blocks, and the block that draws the last ticket adds them up.
//@ run --entry dot --grid 4 --block 64 --arg in:f32:256=iota --arg in:f32:256=ones --arg inout:f32:4=zeros --arg inout:u32:1=zeros --arg out:f32:1
//! clean
//! defect 1: race at publish and add
//! defect 2: race at publish and add
//! defect 3: race at ticket and ask
//! defect 4: race at sum and sum
extern "C" __global__ void dot(const float* a, const float* b, float* partial, unsigned* tickets, float* out)
{
    __shared__ float s[64];
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = a[i] * b[i]; // <- sum
    for (int d = 32; d > 0; d /= 2) {
#if DEFECT == 4
        if (d > 8)
#endif
        __syncthreads();
        if (t < d) s[t] += s[t + d]; // <- sum
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0]; // <- publish
#if DEFECT != 1
        __threadfence();
#endif
#if DEFECT == 2
        last = blockIdx.x == gridDim.x - 1; // <- ticket
#else
        last = atomicAdd(tickets, 1u) == gridDim.x - 1; // <- ticket
#endif
    }
#if DEFECT != 3
    __syncthreads();
#endif
    if (last && t == 0) { // <- ask
        __threadfence();
        float sum = 0;
        for (int k = 0; k < gridDim.x; ++k) sum += partial[k]; // <- add
        out[0] = sum;
    }
}
