// An 8x8 transform by rows and then by columns; eight threads share a tile, four tiles a warp, so a warp's barrier is enough.
//@ run --entry transform --grid 1 --block 8,8 --arg in:f32:512=iota --arg out:f32:512
//! clean
//! defect 1: race at row and column
//! defect 2: race at row
//! defect 3: out_of_bounds at row
extern "C" __global__ void transform(const float* in, float* out)
{
    __shared__ float tiles[8][8][9];
    int x = threadIdx.x, y = threadIdx.y;
    float v[8];
    for (int k = 0; k < 8; ++k) v[k] = in[y * 64 + x * 8 + k];
    for (int k = 0; k < 4; ++k) {
        float a = v[k], b = v[7 - k];
        v[k] = a + b;
        v[7 - k] = (a - b) * (k + 1);
    }
#if DEFECT == 2
    for (int k = 0; k < 8; ++k) tiles[0][x][k] = v[k]; // <- row
#elif DEFECT == 3
    for (int k = 0; k < 8; ++k) tiles[y][x + 1][k + 2] = v[k]; // <- row
#else
    for (int k = 0; k < 8; ++k) tiles[y][x][k] = v[k]; // <- row
#endif
#if DEFECT != 1
    __syncwarp();
#endif
    for (int k = 0; k < 8; ++k) {
#if DEFECT == 3
        out[y * 64 + k * 8 + x] = v[k];
#else
        out[y * 64 + k * 8 + x] = tiles[y][k][x]; // <- column
#endif
    }
}
