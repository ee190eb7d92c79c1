// A 2-D tile with a frame of one; the wrong width of the frame reads a row behind the tile.
//@ run --entry blur --grid 2,2 --block 8,8 --arg in:i32:16x16=iota --arg out:i32:16x16
//! clean
//! defect 1: out_of_bounds at sum
__device__ int at(const int* in, int x, int y)
{
    return x >= 0 && x < 16 && y >= 0 && y < 16 ? in[y * 16 + x] : 0;
}
extern "C" __global__ void blur(const int* in, int* out)
{
    __shared__ int tile[10][10];
    int x0 = blockIdx.x * 8 - 1, y0 = blockIdx.y * 8 - 1;
    for (int k = threadIdx.y * 8 + threadIdx.x; k < 100; k += 64) tile[k / 10][k % 10] = at(in, x0 + k % 10, y0 + k / 10);
    __syncthreads();
    int sum = 0;
#if DEFECT
    for (int dy = 0; dy <= 3; ++dy)
#else
    for (int dy = 0; dy < 3; ++dy)
#endif
        for (int dx = 0; dx < 3; ++dx) {
            sum += tile[threadIdx.y + dy][threadIdx.x + dx]; // <- sum
        }
    out[(y0 + 1 + threadIdx.y) * 16 + x0 + 1 + threadIdx.x] = sum;
}
