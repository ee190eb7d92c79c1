// A sparse matrix in compressed rows times a vector, a warp for each row: lanes stride over the row, then add up by shuffles; rows are handed out with a stride of warps.
//@ run --entry spmv --grid 2 --block 64 --arg in:i32:13=values:0,3,3,40,41,90,91,100,120,121,122,160,200 --arg in:i32:200=iota --arg in:f32:200=ones --arg in:f32:64=iota --arg out:f32:12 --arg i32:12
//! clean
//! defect 1: invalid_mask at down
//! defect 2: out_of_bounds at row
//! defect 3: race at store and store
//! defect 4: uninitialized_read at store|begin
template <int WIDTH, class T>
__device__ __forceinline__ T add_up(T value)
{
#pragma unroll
    for (int d = WIDTH / 2; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d, WIDTH); // <- down
    return value;
}
extern "C" __global__ void spmv(const int* starts, const int* columns, const float* values, const float* x, float* y, int rows)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x & 31;
#if DEFECT == 2
    for (int row = warp; row <= rows; row += warps) {
#else
    for (int row = warp; row < rows; row += warps) {
#endif
        float sum; // <- begin
#if DEFECT == 4
        if (starts[row + 1] > starts[row]) sum = 0;
#else
        sum = 0;
#endif
        for (int k = starts[row] + lane; k < starts[row + 1]; k += 32) { // <- row
            sum += __ldg(&values[k]) * __ldg(&x[columns[k] * 7 % 64]);
#if DEFECT == 1
            if (k + 32 >= starts[row + 1]) sum = add_up<32>(sum);
#endif
        }
#if DEFECT != 1
        sum = add_up<32>(sum);
#endif
#if DEFECT == 3
        y[row / 2] = sum; // <- store
#else
        if (lane == 0) y[row] = sum; // <- store
#endif
    }
}
