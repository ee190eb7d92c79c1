// A sparse product from coordinates: a segmented sum within each warp, whole rows stored, rows that cross a warp's edge added by atomics; the output starts as zeros.
//@ run --entry coo --grid 2 --block 64 --arg in:i32:128=values:0,0,0,1,1,1,1,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,3,3,3,3,4,4,4,4,4,4,4,4,4,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,7,7,7,7,7,7,7,7,7,7,7,7,7,7,8,8,8,8,8,8,8,8,8,9,9,9,9,9,9,9 --arg in:f32:128=ones --arg inout:f32:10=zeros
//! clean
//! defect 1: race at add|store and store
//! defect 2: race at add|store and add|store
//! defect 3: out_of_bounds at add|store; also=race
extern "C" __global__ void coo(const int* rows, const float* values, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int row = rows[i];
    float value = values[i] * (i % 3);
    for (int d = 1; d < 32; d *= 2) {
        float v = __shfl_up_sync(0xffffffff, value, d);
        int r = __shfl_up_sync(0xffffffff, row, d);
        if (lane >= d && r == row) value += v;
    }
    int next = __shfl_down_sync(0xffffffff, row, 1), first = __shfl_sync(0xffffffff, row, 0);
#if DEFECT == 1
    bool inside = row != first || lane < 31;
#else
    bool inside = row != first && lane < 31;
#endif
#if DEFECT == 3
    if (lane == 31 || next != row) row += 1;
#endif
    if (lane == 31 || next != row) {
#if DEFECT == 2
        y[row] += value; // <- add
#else
        if (inside) y[row] = value; // <- store
        else atomicAdd(&y[row], value); // <- add
#endif
    }
}
