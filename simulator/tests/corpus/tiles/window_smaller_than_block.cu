// A convolution whose block is as large as its input tile: only the inner threads write.
//@ run --entry convolve --grid 3,3 --block 10,10 --arg in:f32:20x20=iota --arg out:f32:20x20 --arg i32:20 --arg i32:20
//! clean
//! defect 1: race at stage and window
//! defect 2: out_of_bounds at stage; also=uninitialized_read
//! defect 3: uninitialized_read at window|put
//! defect 4: out_of_bounds|race at window|put; also=race,out_of_bounds,uninitialized_read
#define IN_TILE 10
#define OUT_TILE 8
__constant__ float F[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
extern "C" __global__ void convolve(const float* N, float* P, int width, int height)
{
    int col = blockIdx.x * OUT_TILE + threadIdx.x - 1;
    int row = blockIdx.y * OUT_TILE + threadIdx.y - 1;
    __shared__ float N_s[IN_TILE][IN_TILE];
#if DEFECT == 2
    if (row < height && col < width) {
#else
    if (row >= 0 && row < height && col >= 0 && col < width) {
#endif
        N_s[threadIdx.y][threadIdx.x] = N[row * width + col]; // <- stage
    }
#if DEFECT != 3
    else {
        N_s[threadIdx.y][threadIdx.x] = 0; // <- stage
    }
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    int tileCol = threadIdx.x - 1, tileRow = threadIdx.y - 1;
    if (col >= 0 && col < width && row >= 0 && row < height) {
#if DEFECT == 4
        if (tileCol >= 0 && tileCol <= OUT_TILE && tileRow >= 0 && tileRow <= OUT_TILE) {
#else
        if (tileCol >= 0 && tileCol < OUT_TILE && tileRow >= 0 && tileRow < OUT_TILE) {
#endif
            float value = 0;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) value += F[r][c] * N_s[tileRow + r][tileCol + c]; // <- window
            P[row * width + col] = value; // <- put
        }
    }
}
