// The guard tests the column but not the row, so the last rows of blocks write past the matrix.
//@ run --entry half_guard --grid 2,2 --block 8,8 --arg in:i32:13x10=small_ints.npy --arg out:i32:13x10
//@ run --arg i32:13 --arg i32:10
// status: finished|faulted
// expect: out_of_bounds error global @ copy
// allow: uninitialized_read error @ copy

extern "C" __global__ void half_guard(const int* in, int* out, int rows, int columns)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < columns) {
        out[y * columns + x] = in[y * columns + x] + rows; // <- copy
    }
}
