// From the last time step to the first, in one row of shared memory: every thread keeps its sum in a register until all have read.
//@ run --entry adjoint --grid 1 --block 64 --arg in:f32:64=iota --arg out:f32:64
//! clean
//! defect 1: race at read and write
//! defect 2: race at read and write
//! defect 3: uninitialized_read at read|result
extern "C" __global__ void adjoint(const float* in, float* out)
{
    __shared__ float row[66];
    int t = threadIdx.x;
    row[t + 1] = in[t]; // <- write
#if DEFECT == 3
    if (t == 0) row[0] = 0;
#else
    if (t == 0) row[0] = row[65] = 0;
#endif
    __syncthreads();
    for (int k = 7; k >= 0; --k) {
        float mine = 0.25f * row[t] + 0.5f * row[t + 1] + 0.25f * row[t + 2]; // <- read
#if DEFECT != 1
        __syncthreads();
#endif
        row[t + 1] = mine; // <- write
#if DEFECT != 2
        __syncthreads();
#endif
    }
    out[t] = row[t + 1]; // <- result
}
