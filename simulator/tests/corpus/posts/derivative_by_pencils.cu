// A derivative along x with periodic ends: a block keeps pencils of rows with four cells more at both ends.
//@ run --entry derivative --grid 4 --block 16,4 --arg in:f32:16x16=iota --arg out:f32:16x16
//! clean
//! defect 1: race at fill and ends
//! defect 2: race at ends and differ
//! defect 3: out_of_bounds at differ
//! defect 4: uninitialized_read at differ
extern "C" __global__ void derivative(const float* f, float* df)
{
    __shared__ float s[4][16 + 8];
    int i = threadIdx.x, j = blockIdx.x * blockDim.y + threadIdx.y, si = i + 4, sj = threadIdx.y;
    s[sj][si] = f[j * 16 + i]; // <- fill
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 4
    if (i < 3) {
#else
    if (i < 4) {
#endif
        s[sj][si - 4] = s[sj][si + 16 - 4]; // <- ends
        s[sj][si + 16] = s[sj][si]; // <- ends
    }
#if DEFECT != 2
    __syncthreads();
#endif
#if DEFECT == 3
    df[(j + 1) * 16 + i] = s[sj][si + 1] - s[sj][si - 1]; // <- differ
#else
    df[j * 16 + i] = 0.8f * (s[sj][si + 1] - s[sj][si - 1]) + 0.2f * (s[sj][si + 4] - s[sj][si - 4]); // <- differ
#endif
}
