// Jacobi steps in one block, from one buffer of shared memory to the other and back; the last step's buffer goes out.
//@ run --entry jacobi --grid 1 --block 64 --arg in:f32:66=iota --arg out:f32:64 --arg i32:5
//! clean
//! defect 1: race at relax
//! defect 2: race at relax
//! defect 3: uninitialized_read at relax|write
extern "C" __global__ void jacobi(const float* in, float* out, int steps)
{
    __shared__ float u[2][66];
    int t = threadIdx.x;
    for (int i = t; i < 66; i += 64) {
        u[0][i] = in[i];
#if DEFECT == 3
        if (i > 0 && i < 65) u[1][i] = in[i];
#else
        u[1][i] = in[i];
#endif
    }
    __syncthreads();
    int from = 0;
    for (int k = 0; k < steps; ++k) {
#if DEFECT == 2
        int to = k % 3 == 2 ? from : 1 - from;
#else
        int to = 1 - from;
#endif
        u[to][t + 1] = 0.5f * (u[from][t] + u[from][t + 2]); // <- relax
#if DEFECT == 1
        if (k % 2) __syncthreads();
#else
        __syncthreads();
#endif
        from = to;
    }
    out[t] = u[from][t + 1]; // <- write
}
