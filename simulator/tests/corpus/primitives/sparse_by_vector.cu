// A sparse matrix by rows, one warp a row; the vector of results is written by lane 0.
//@ run --entry spmv --grid 2 --block 64 --arg in:i32:7=values:0,3,3,40,41,50,60 --arg in:i32:60=iota --arg in:f32:60=ones --arg in:f32:60=iota --arg out:f32:6 --arg i32:6
//! clean
//! defect 1: race at store
//! defect 2: out_of_bounds at bounds
//! defect 3: invalid_mask at fold; also=uninitialized_read
extern "C" __global__ void spmv(const int* row, const int* col, const float* a, const float* x, float* y, int rows)
{
    int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
#if DEFECT == 2
    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r <= rows; r += warps) {
#else
    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < rows; r += warps) {
#endif
        float sum = 0;
        int end = row[r + 1]; // <- bounds
        for (int j = row[r] + lane; j < end; j += 32) {
            sum += a[j] * x[col[j]];
#if DEFECT == 3
            for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d); // <- fold
#endif
        }
#if DEFECT != 3
        for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
#endif
#if DEFECT == 1
        y[r] = sum + lane; // <- store
#else
        if (lane == 0) y[r] = sum;
#endif
    }
}
