// The well-known transpose: tiles of 32 by 32, 32 by 8 threads, four rows each, a column of padding.
//@ run --entry transpose --grid 2,2 --block 32,8 --arg in:f32:64x64=iota --arg out:f32:64x64
//! clean
//! defect 1: race at load and store
//! defect 2: out_of_bounds|race at load; also=race,uninitialized_read
//! defect 3: race at store and store
//! defect 4: uninitialized_read at store
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
extern "C" __global__ void transpose(const float* idata, float* odata)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int width = gridDim.x * TILE_DIM;
#if DEFECT == 2
    for (int j = 0; j <= TILE_DIM; j += BLOCK_ROWS)
#elif DEFECT == 4
    for (int j = 0; j < TILE_DIM - BLOCK_ROWS; j += BLOCK_ROWS)
#else
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
#endif
        tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x]; // <- load
#if DEFECT == 1
    __syncwarp();
#else
    __syncthreads();
#endif
#if DEFECT == 3
    x = blockIdx.y * BLOCK_ROWS + threadIdx.x;
#else
    x = blockIdx.y * TILE_DIM + threadIdx.x;
#endif
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j]; // <- store
}
