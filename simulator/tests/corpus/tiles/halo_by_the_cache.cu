// A tiled convolution that reads inner cells from shared memory and those of its neighbours from global memory.
//@ run --entry convolve --grid 3,3 --block 8,8 --arg in:f32:21x21=iota --arg out:f32:21x21 --arg i32:21
//! clean
//! defect 1: race at stage and inner
//! defect 2: out_of_bounds at outer
//! defect 3: out_of_bounds at inner|outer
//! defect 4: barrier_divergence warning at sync; also=uninitialized_read
#define TILE 8
extern "C" __global__ void convolve(const float* N, float* P, int width)
{
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    __shared__ float N_s[TILE][TILE];
#if DEFECT == 4
    if (row >= width || col >= width) return;
    N_s[threadIdx.y][threadIdx.x] = N[row * width + col];
#else
    if (row < width && col < width) N_s[threadIdx.y][threadIdx.x] = N[row * width + col]; // <- stage
    else N_s[threadIdx.y][threadIdx.x] = 0;
#endif
#if DEFECT != 1
    __syncthreads(); // <- sync
#endif
    if (col < width && row < width) {
        float value = 0;
        for (int r = -1; r <= 1; ++r) {
            for (int c = -1; c <= 1; ++c) {
                int x = (int)threadIdx.x + c, y = (int)threadIdx.y + r;
#if DEFECT == 3
                if (x >= 0 && x < TILE && y < TILE) {
#else
                if (x >= 0 && x < TILE && y >= 0 && y < TILE) {
#endif
                    value += N_s[y][x]; // <- inner
#if DEFECT == 2
                } else if (row + r >= 0 && row + r < width && col + c <= width) {
#else
                } else if (row + r >= 0 && row + r < width && col + c >= 0 && col + c < width) {
#endif
                    value += N[(row + r) * width + col + c]; // <- outer
                }
            }
        }
        P[row * width + col] = value;
    }
}
