// A tiled matrix product: one barrier before a tile is used, one before it is overwritten.
//@ run --entry product --grid 2,2 --block 8,8 --arg in:f32:16x16=iota --arg in:f32:16x16=iota --arg out:f32:16x16
//! clean
//! defect 1: race at use and first|second
//! defect 2: race at use and first|second
//! defect 3: race at use and first|second
extern "C" __global__ void product(const float* a, const float* b, float* c)
{
    __shared__ float left[8][8], right[8][8];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
    float sum = 0;
    for (int k = 0; k < 16; k += 8) {
        left[y][x] = a[row * 16 + k + x]; // <- first
        right[y][x] = b[(k + y) * 16 + column]; // <- second
#if DEFECT == 3
        if (k > 0) __syncthreads();
#elif DEFECT != 1
        __syncthreads();
#endif
        for (int j = 0; j < 8; ++j) {
            sum += left[y][j] * right[j][x]; // <- use
        }
#if DEFECT != 2
        __syncthreads();
#endif
    }
    c[row * 16 + column] = sum;
}
