// A tile transposed through shared memory.
//@ run --entry transpose_tile<16> --grid 1,1 --block 16,16 --arg in:f32:16x16=iota --arg out:f32:16x16
//! clean
//! defect 1: race at store and load
template <int SIDE>
__global__ void transpose_tile(const float* in, float* out)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * SIDE + x]; // <- store
#if !DEFECT
    __syncthreads();
#endif
    out[y * SIDE + x] = tile[x][y]; // <- load
}
template __global__ void transpose_tile<16>(const float*, float*);
