// A transposition of double-precision complex numbers in a ragged grid of blocks; a tile's columns are padded, and its loads are vectors of two.
//@ run --entry transpose --grid 2,3 --block 8,4 --arg in:f64:40x13=iota --arg out:f64:40x13 --arg i32:13 --arg i32:20
//! clean
//! defect 1: race at load and store
//! defect 2: out_of_bounds|uninitialized_read at store|load; also=out_of_bounds,uninitialized_read
//! defect 3: uninitialized_read at store|load
//! defect 4: misaligned at load
template <int TILE, int ROWS>
__device__ void flip(const double2* in, double2* out, int width, int height)
{
    __shared__ double2 tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
#if DEFECT == 3
        if (x < width - 1 && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x]; // <- load
#elif DEFECT == 4
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = *(const double2*)((const double*)in + 2 * ((y + j) * width + x) - (x > 0)); // <- load
#else
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x]; // <- load
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
#if DEFECT == 2
        if (x < height) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j]; // <- store
#else
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j]; // <- store
#endif
}
extern "C" __global__ void transpose(const double2* in, double2* out, int width, int height)
{
    flip<8, 4>(in, out, width, height);
}
