// Persistent blocks take every gridDim-th row; a row's last block has one row less. The bound is the number of rows, not of blocks.
//@ run --entry rows --grid 3 --block 32 --arg in:i32:256=iota --arg out:i32:256 --arg i32:8
//! clean
//! defect 1: out_of_bounds at put
//! defect 2: race at put
//! defect 3: race at stage and use
extern "C" __global__ void rows(const int* in, int* out, int n)
{
    __shared__ int s[32];
    int t = threadIdx.x;
#if DEFECT == 1
    for (int k = 0; k < (n + 2) / 3; ++k) {
        int r = k * gridDim.x + blockIdx.x;
        s[t] = r < n ? in[r * 32 + t] : 0;
#elif DEFECT == 2
    for (int r = blockIdx.x; r < n; r += 2) {
        s[t] = in[r * 32 + t] + blockIdx.x;
#else
    for (int r = blockIdx.x; r < n; r += gridDim.x) {
        s[t] = in[r * 32 + t]; // <- stage
#endif
        __syncthreads();
        int v = s[31 - t]; // <- use
#if DEFECT != 3
        __syncthreads();
#endif
        out[r * 32 + t] = v; // <- put
    }
}
