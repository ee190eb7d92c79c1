// Mean and variance of rows: one block a row, two reductions with one function, the mean kept for all.
//@ run --entry spread --grid 4 --block 64 --arg in:f32:4x64=iota --arg out:f32:4 --arg out:f32:4
//! clean
//! defect 1: race at put and tree
//! defect 2: race at mean and centre
//! defect 3: race at tree
//! defect 4: uninitialized_read at tree|result|mean|centre|write; --block 48
__device__ float sum_of(float v, float* s)
{
    int t = threadIdx.x;
    s[t] = v; // <- put
#if DEFECT != 1
    __syncthreads();
#endif
    for (int d = 32; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d]; // <- tree
#if DEFECT == 3
        if (d == 32)
#endif
        __syncthreads();
    }
    float result = s[0]; // <- result
    __syncthreads();
    return result;
}
extern "C" __global__ void spread(const float* in, float* mean, float* variance)
{
    __shared__ float s[64], m;
    int t = threadIdx.x;
    float x = in[blockIdx.x * 64 + t];
    float sum = sum_of(x, s);
    if (t == 63 || blockDim.x < 64 && t == 0) m = sum / 64; // <- mean
#if DEFECT != 2
    __syncthreads();
#endif
    float d = x - m; // <- centre
    float all = sum_of(d * d, s);
    if (t == 0) {
        mean[blockIdx.x] = m; // <- write
        variance[blockIdx.x] = all / 64; // <- write
    }
}
