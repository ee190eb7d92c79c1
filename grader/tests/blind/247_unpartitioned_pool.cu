// Doubles follow an odd number of floats in the pool: their addresses aren't multiples of eight.
//@ run --entry unaligned_pool --grid 1 --block 32 --shared 1024 --arg in:f32:33=uniform.npy --arg out:f64:32
//@ run --arg i32:33
// status: finished|faulted
// expect: misaligned error shared @ store
// allow: uninitialized_read error @ out
// allow: misaligned error @ out

extern __shared__ __align__(16) unsigned char pool[];

extern "C" __global__ void unaligned_pool(const float* in, double* out, int n)
{
    float* row = reinterpret_cast<float*>(pool);
    double* partial = reinterpret_cast<double*>(pool + n * sizeof(float));
    int t = threadIdx.x;
    row[t] = in[t];
    partial[t] = in[t] * 2.0; // <- store
    __syncwarp();
    out[t] = partial[t] + row[31 - t]; // <- out
}
