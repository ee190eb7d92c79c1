// Tiled matrix product without the barrier at the end of the loop: the next tile overwrites the one still being read.
//@ run --entry tiled<16> --grid 2,2 --block 16,16 --arg in:f32:32x48=uniform.npy
//@ run --arg in:f32:48x32=uniform2.npy --arg out:f32:32x32 --arg i32:32 --arg i32:48
// expect: race error shared @ load_a use
// expect: race error shared @ load_b use

template <int TILE>
__global__ void tiled(const float* A, const float* B, float* C, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty][tx] = A[row * K + k0 + tx]; // <- load_a
        Bs[ty][tx] = B[(k0 + ty) * N + column]; // <- load_b
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            sum += As[ty][k] * Bs[k][tx]; // <- use
        }
    }
    C[row * N + column] = sum;
}
