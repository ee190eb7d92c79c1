// Scalar products of pairs of vectors: each block takes several pairs and adds up in one array.
//@ run --entry products --grid 2 --block 64 --arg in:f32:400=iota --arg in:f32:400=ones --arg out:f32:4 --arg i32:4 --arg i32:100
//! clean
//! defect 1: race at start|fold
//! defect 2: race at start and fold
//! defect 3: out_of_bounds at multiply
extern "C" __global__ void products(const float* a, const float* b, float* out, int pairs, int n)
{
    __shared__ float acc[64];
    for (int p = blockIdx.x; p < pairs; p += gridDim.x) {
        const float* x = a + p * n;
        const float* y = b + p * n;
        float sum = 0;
#if DEFECT == 3
        for (int i = threadIdx.x; i <= n; i += blockDim.x) {
#else
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
#endif
            sum += x[i] * y[i]; // <- multiply
        }
        acc[threadIdx.x] = sum; // <- start
        for (int s = blockDim.x / 2; s > 0; s >>= 1) {
#if DEFECT != 1
            __syncthreads();
#endif
            if (threadIdx.x < s) acc[threadIdx.x] += acc[threadIdx.x + s]; // <- fold
        }
        if (threadIdx.x == 0) out[p] = acc[0];
#if DEFECT != 2
        __syncthreads();
#endif
    }
}
