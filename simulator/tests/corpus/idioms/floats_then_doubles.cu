// A tile of floats is summed by columns; the sums then lie in the same shared memory as doubles.
//@ run --entry sums --grid 1 --block 64 --arg in:f32:512=ones --arg out:f64:1 --shared 2048
//! clean
//! defect 1: race at column and park
//! defect 2: race at load and column
//! defect 3: misaligned at park
extern "C" __global__ void sums(const float* in, double* out)
{
    extern __shared__ __align__(16) unsigned char memory[];
    float* tile = (float*)memory;
#if DEFECT == 3
    double* partial = (double*)(memory + 4);
#else
    double* partial = (double*)memory;
#endif
    int t = threadIdx.x;
    for (int k = 0; k < 8; ++k) tile[k * 64 + t] = in[k * 64 + t]; // <- load
#if DEFECT != 2
    __syncthreads();
#endif
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += tile[t * 8 + k]; // <- column
#if DEFECT != 1
    __syncthreads();
#endif
    partial[t] = sum; // <- park
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 64; ++k) sum += partial[k];
        out[0] = sum;
    }
}
