// A rectangular matrix is transposed through a tile with a padded row.
//@ run --entry transpose --grid 3,2 --block 16,16 --arg in:i32:24x40=iota --arg out:i32:40x24 --arg i32:40 --arg i32:24
//! clean
//! defect 1: race at load and store
//! defect 2: out_of_bounds at load
//! defect 3: out_of_bounds at store; also=uninitialized_read
//! defect 4: uninitialized_read at store
extern "C" __global__ void transpose(const int* in, int* out, int width, int height)
{
    __shared__ int tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
#if DEFECT == 2
    if (x < width || y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x]; // <- load
#elif DEFECT == 4
    if (x < height && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x]; // <- load
#else
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x]; // <- load
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
#if DEFECT == 3
    if (x < width && y < height + 40) out[y * height + x] = tile[threadIdx.x][threadIdx.y]; // <- store
#else
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y]; // <- store
#endif
}
