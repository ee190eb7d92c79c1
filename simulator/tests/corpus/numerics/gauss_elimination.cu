// Elimination without pivoting in shared memory: a row a thread; the column of factors is read before it is cleared.
//@ run --entry eliminate --grid 1 --block 16 --arg in:f32:256=iota --arg out:f32:256
//! clean
//! defect 1: race at subtract and pivot
//! defect 2: race at subtract and pivot
//! defect 3: out_of_bounds at pivot
extern "C" __global__ void eliminate(const float* in, float* out)
{
    __shared__ float a[16][17];
    int r = threadIdx.x;
    for (int c = 0; c < 16; ++c) a[r][c] = in[r * 16 + c] * in[r * 16 + c] + (r == c ? 1000 : 0);
    __syncthreads();
    for (int k = 0; k < 15; ++k) {
        if (r > k) {
#if DEFECT == 2
            float factor = a[r][k] / a[k + 1][k]; // <- pivot
#else
            float factor = a[r][k] / a[k][k]; // <- pivot
#endif
#if DEFECT == 3
            for (int c = k; c < 17; ++c) a[r][c] -= factor * a[k + (c == 16) * 16][c]; // <- pivot
#elif DEFECT == 2
            for (int c = k; c < 16; ++c) {
                a[r][c] -= factor; // <- subtract
            }
#else
            for (int c = k; c < 16; ++c) {
                a[r][c] -= factor * a[k][c]; // <- subtract
            }
#endif
        }
#if DEFECT != 1
        __syncthreads();
#endif
    }
    for (int c = 0; c < 16; ++c) out[r * 16 + c] = a[r][c];
}
