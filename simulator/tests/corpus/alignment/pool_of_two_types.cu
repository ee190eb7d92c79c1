// A pool of floats, then doubles: an odd number of floats leaves the doubles at half a double.
//@ run --entry pool --grid 1 --block 32 --shared 400 --arg in:f32:32=iota --arg out:f64:32 --arg i32:32
//! clean
//! defect 1: misaligned at put|get; arg2=i32:33
extern __shared__ __align__(16) unsigned char memory[];
extern "C" __global__ void pool(const float* in, double* out, int floats)
{
    float* f = (float*)memory;
    double* d = (double*)(memory + floats * 4);
    int t = threadIdx.x;
    f[t] = in[t];
    d[t] = in[t] * 0.5; // <- put
    __syncthreads();
    out[t] = f[31 - t] + d[31 - t]; // <- get
}
