// A sparse matrix times a vector, a warp for a row; rows differ in length and some are empty.
//@ run --entry multiply --grid 2 --block 64 --arg in:i32:5=iota --arg in:i32:40=iota --arg in:f32:40=ones --arg in:f32:40=iota --arg out:f32:4
//! clean
//! defect 1: out_of_bounds at gather
//! defect 2: race at store
extern "C" __global__ void multiply(const int* starts, const int* columns, const float* values, const float* x, float* y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int first = starts[row] * starts[row], last = starts[row + 1] * starts[row + 1];
    float sum = 0;
    for (int k = first + lane; k < last; k += 32) {
#if DEFECT == 1
        sum += values[k] * x[columns[k] * 4]; // <- gather
#else
        sum += values[k] * x[columns[k]];
#endif
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
#if DEFECT == 2
    y[row] = sum; // <- store
#else
    if (lane == 0) y[row] = sum;
#endif
}
