// Unpadded 32x32 transpose: each of 32 column reads hits one bank 32 times.
//@ run --entry transpose --grid 1 --block 32,32 --arg in:f32:32x32=uniform.npy --arg out:f32:32x32
// save: 1
// reference: transpose
// counter: global_load_requests = 32
// counter: global_load_sectors = 128
// counter: global_store_requests = 32
// counter: global_store_sectors = 128
// counter: shared_store_requests = 32
// counter: shared_store_wavefronts = 32
// counter: shared_load_requests = 32
// counter: shared_load_wavefronts = 1024
// counter: shared_bank_conflicts = 992

extern "C" __global__ void transpose(const float* in, float* out)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = tile[x][y];
}
