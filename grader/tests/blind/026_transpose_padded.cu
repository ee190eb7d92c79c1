// Padded tiled transpose of a ragged matrix with four rows per thread.
//@ run --entry transpose --grid 3,2 --block 32,8 --arg in:f32:33x70=uniform.npy --arg out:f32:70x33
//@ run --arg i32:33 --arg i32:70
// save: 1
// reference: transpose
// counter: global_load_requests = 99
// counter: global_load_sectors = 361
// counter: global_store_requests = 140
// counter: global_store_sectors = 411
// counter: shared_load_wavefronts = 140
// counter: shared_store_wavefronts = 99
// counter: shared_bank_conflicts = 0

extern "C" __global__ void transpose(const float* in, float* out, int rows, int columns)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
