// A 2-D tile with a frame: rows and columns of the frame are loaded, the corners are forgotten.
//@ run --entry blur --grid 1 --block 8,8 --arg in:i32:8x8=iota --arg out:i32:8x8
//! clean
//! defect 1: uninitialized_read at use|store
extern "C" __global__ void blur(const int* in, int* out)
{
    __shared__ int s[10][10];
    int x = threadIdx.x, y = threadIdx.y;
    s[y + 1][x + 1] = in[y * 8 + x];
    if (y == 0) s[0][x + 1] = s[9][x + 1] = 0;
    if (x == 0) s[y + 1][0] = s[y + 1][9] = 0;
#if !DEFECT
    if (x == 0 && y == 0) s[0][0] = s[0][9] = s[9][0] = s[9][9] = 0;
#endif
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 9; ++k) {
        sum += s[y + k / 3][x + k % 3]; // <- use
    }
    out[y * 8 + x] = sum; // <- store
}
