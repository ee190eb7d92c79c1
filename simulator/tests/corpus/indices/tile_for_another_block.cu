// A tile of 16 by 16 in a block of 32 by 8.
//@ run --entry copy --grid 1 --block 16,16 --arg in:i32:256=iota --arg out:i32:256
//! clean
//! defect 1: out_of_bounds|race at store|load; --block 32,8
extern "C" __global__ void copy(const int* in, int* out)
{
    __shared__ int tile[16][16];
    int x = threadIdx.x, y = threadIdx.y, i = y * blockDim.x + x;
    tile[y][x] = in[i]; // <- store
    __syncthreads();
    out[i] = tile[y][x]; // <- load
}
