// A tiled product whose depth of 12 is no multiple of the tile: the edge must be filled with zeros.
//@ run --entry product --grid 1,1 --block 8,8 --arg in:f32:8x12=iota --arg in:f32:12x8=iota --arg out:f32:8x8
//! clean
//! defect 1: uninitialized_read at use|store
extern "C" __global__ void product(const float* a, const float* b, float* c)
{
    __shared__ float left[2][8][8], right[2][8][8];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
#if DEFECT
        if (k * 8 + x < 12) left[k][y][x] = a[y * 12 + k * 8 + x];
        if (k * 8 + y < 12) right[k][y][x] = b[(k * 8 + y) * 8 + x];
#else
        left[k][y][x] = k * 8 + x < 12 ? a[y * 12 + k * 8 + x] : 0;
        right[k][y][x] = k * 8 + y < 12 ? b[(k * 8 + y) * 8 + x] : 0;
#endif
        __syncthreads();
        for (int j = 0; j < 8; ++j) {
            sum += left[k][y][j] * right[k][j][x]; // <- use
        }
        __syncthreads();
    }
    c[y * 8 + x] = sum; // <- store
}
