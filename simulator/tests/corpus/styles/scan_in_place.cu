// An inclusive scan in one array: what is read in a step must be read by all before it is overwritten.
//@ run --entry scan --grid 1 --block 64 --arg in:f64:64=iota --arg out:f64:64
//! clean
//! defect 1: race at read and write
//! defect 2: race at read and write
template <class T, class Op>
__device__ void inclusive(T* s, Op op)
{
    for (unsigned d = 1; d < blockDim.x; d <<= 1) {
        T before{};
        bool has = threadIdx.x >= d;
        if (has) before = s[threadIdx.x - d]; // <- read
#if DEFECT != 1
        __syncthreads();
#endif
        if (has) s[threadIdx.x] = op(before, s[threadIdx.x]); // <- write
#if DEFECT != 2
        __syncthreads();
#endif
    }
}
extern "C" __global__ void scan(const double* in, double* out)
{
    __shared__ double s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    inclusive(s, [](double a, double b) { return a + b; });
    out[threadIdx.x] = s[threadIdx.x];
}
