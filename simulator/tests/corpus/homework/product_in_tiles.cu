// C = A B in tiles of eight for any size: tiles at the edge are filled up with zeros.
//@ run --entry matmul --grid 3,3 --block 8,8 --arg in:f32:20x20=iota --arg in:f32:20x20=ones --arg out:f32:20x20 --arg i32:20
//! clean
//! defect 1: race at load and multiply
//! defect 2: race at load and multiply
//! defect 3: out_of_bounds at load
//! defect 4: out_of_bounds at store; also=race
//! defect 5: uninitialized_read at multiply|store; also=barrier_divergence
#define TILE_WIDTH 8
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int n)
{
    __shared__ float ds_A[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_B[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int row = by * TILE_WIDTH + ty, col = bx * TILE_WIDTH + tx;
#if DEFECT == 5
    if (row >= n || col >= n) return;
#endif
    float value = 0;
    for (int m = 0; m < (n - 1) / TILE_WIDTH + 1; ++m) {
#if DEFECT == 3
        if (m * TILE_WIDTH + tx < n) // <- load
#else
        if (row < n && m * TILE_WIDTH + tx < n)
#endif
            ds_A[ty][tx] = A[row * n + m * TILE_WIDTH + tx]; // <- load
        else
            ds_A[ty][tx] = 0; // <- load
        if (col < n && m * TILE_WIDTH + ty < n)
            ds_B[ty][tx] = B[(m * TILE_WIDTH + ty) * n + col]; // <- load
        else
            ds_B[ty][tx] = 0; // <- load
#if DEFECT != 1
        __syncthreads();
#endif
        for (int k = 0; k < TILE_WIDTH; ++k) value += ds_A[ty][k] * ds_B[k][tx]; // <- multiply
#if DEFECT != 2
        __syncthreads();
#endif
    }
#if DEFECT == 4
    C[row * n + col] = value; // <- store
#else
    if (row < n && col < n) C[row * n + col] = value; // <- store
#endif
}
//! label 4: named no consequence; beyond its columns a thread writes what is another's in the next row
