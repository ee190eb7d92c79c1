// C = A B for B kept column by column: its tile is loaded along the other axis, so that loads stay coalesced.
//@ run --entry product --grid 2,2 --block 8,8 --arg in:i32:16x16=iota --arg in:i32:16x16=iota --arg out:i32:16x16
//! clean
//! defect 1: race at load and multiply
//! defect 2: race at multiply and load
//! defect 3: race at load
//! defect 4: uninitialized_read at multiply|write
template <int N, int T> __device__ void tile_of(int (&s)[T][T], const int* from, int y, int x, bool turned)
{
    int a = turned ? threadIdx.x : threadIdx.y, b = turned ? threadIdx.y : threadIdx.x;
    s[a][b] = from[(y + threadIdx.y) * N + x + threadIdx.x]; // <- load
}
extern "C" __global__ void product(const int* A, const int* B, int* C)
{
    __shared__ int a[8][8], b[8][8];
    int row = blockIdx.y * 8, col = blockIdx.x * 8, sum = 0;
    for (int k = 0; k < 16; k += 8) {
        tile_of<16>(a, A, row, k, false);
#if DEFECT == 3
        tile_of<16>(a, B, col, k, true);
#elif DEFECT == 4
        if (threadIdx.y < 7) tile_of<16>(b, B, col, k, true);
#else
        tile_of<16>(b, B, col, k, true);
#endif
#if DEFECT != 1
        __syncthreads();
#endif
#if DEFECT == 3
        for (int j = 0; j < 8; ++j) sum += a[threadIdx.y][j] * j; // <- multiply
#else
        for (int j = 0; j < 8; ++j) sum += a[threadIdx.y][j] * b[j][threadIdx.x]; // <- multiply
#endif
#if DEFECT != 2
        __syncthreads();
#endif
    }
    C[(row + threadIdx.y) * 16 + col + threadIdx.x] = sum; // <- write
}
