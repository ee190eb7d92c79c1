// In a block of 8 by 8 a warp is four rows, not a column.
//@ run --entry columns --grid 1 --block 8,8 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
extern "C" __global__ void columns(const int* in, int* out)
{
    __shared__ int s[8][8];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[y * 8 + x]; // <- put
#if DEFECT
    __syncwarp();
#else
    __syncthreads();
#endif
    out[y * 8 + x] = s[7 - y][x]; // <- get
}
