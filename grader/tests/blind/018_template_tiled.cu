// Tiled matrix product as a template instance, M, N and K all different and no multiple of the tile.
//@ run --entry tiled<16> --grid 3,3 --block 16,16 --arg in:f32:37x29=uniform.npy
//@ run --arg in:f32:29x45=uniform2.npy --arg out:f32:37x45 --arg i32:37 --arg i32:45 --arg i32:29
// save: 2
// reference: matmul

template <int TILE>
__global__ void tiled(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = k0 + ty < K && column < N ? B[(k0 + ty) * N + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && column < N) C[row * N + column] = sum;
}
