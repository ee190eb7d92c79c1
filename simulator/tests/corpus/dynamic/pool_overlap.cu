// Two arrays in one pool; an offset in elements where bytes are meant lets them overlap.
//@ run --entry pool --grid 1 --block 64 --shared 768 --arg in:i32:64=iota --arg out:f64:64
//! clean
//! defect 1: race at ints and doubles
extern __shared__ __align__(16) unsigned char memory[];
extern "C" __global__ void pool(const int* in, double* out)
{
    int t = threadIdx.x;
    int* a = (int*)memory;
#if DEFECT
    double* b = (double*)(memory + 64);
#else
    double* b = (double*)(memory + 64 * sizeof(int));
#endif
    a[t] = in[t]; // <- ints
    b[t] = in[t] * 0.5; // <- doubles
    __syncthreads();
    out[t] = a[63 - t] + b[63 - t];
}
