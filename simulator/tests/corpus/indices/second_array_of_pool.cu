// Two arrays in a pool that is large enough for the first and most of the second.
//@ run --entry pool --grid 1 --block 32 --shared 384 --arg in:i32:32=iota --arg out:f64:32
//! clean
//! defect 1: out_of_bounds at put; --shared 380
extern __shared__ __align__(16) unsigned char memory[];
extern "C" __global__ void pool(const int* in, double* out)
{
    int* a = (int*)(memory + 256);
    double* b = (double*)memory;
    int t = threadIdx.x;
    b[t] = in[t] * 0.5;
    a[t] = in[t]; // <- put
    __syncthreads();
    out[t] = t < 31 ? a[t] + b[31 - t] : b[0];
}
