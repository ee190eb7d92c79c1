// Indices of 64 bits, negative strides from the end, and a difference of pointers.
//@ run --entry backwards --grid 2 --block 32 --arg in:i32:100=iota --arg out:i32:100 --arg i64:100
//! clean
//! defect 1: out_of_bounds at read; also=race
//! defect 2: out_of_bounds at write
//! defect 3: race at write
extern "C" __global__ void backwards(const int* in, int* out, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x, step = -(long long)gridDim.x * blockDim.x;
#if DEFECT == 1
    for (long long k = n - i; k >= 0; k += step) {
        out[k == n ? 0 : k] = in[k]; // <- read
    }
#else
    for (long long k = n - 1 - i; k >= 0; k += step) {
        const int* from = in + k;
#if DEFECT == 2
        out[n - (from - in)] = *from; // <- write
#elif DEFECT == 3
        out[(from - in) / 2] = *from; // <- write
#else
        out[n - 1 - (from - in)] = *from;
#endif
    }
#endif
}
