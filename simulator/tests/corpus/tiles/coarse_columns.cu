// A tiled product in which a thread computes three columns: one tile of A, a tile of B after the other.
//@ run --entry product --grid 1,3 --block 8,8 --arg in:i32:24x24=iota --arg in:i32:24x24=ones --arg out:i32:24x24 --arg i32:24
//! clean
//! defect 1: race at tile_b and multiply
//! defect 2: race at multiply and tile_b
//! defect 3: race at multiply and tile_a
//! defect 4: out_of_bounds|race at write
#define W 8
#define COARSE 3
extern "C" __global__ void product(const int* A, const int* B, int* C, int n)
{
    __shared__ int a[W][W], b[W][W];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * W + ty, first = blockIdx.x * W * COARSE + tx;
    int value[COARSE] = {};
    for (int phase = 0; phase < n / W; ++phase) {
        a[ty][tx] = A[row * n + phase * W + tx]; // <- tile_a
        for (int c = 0; c < COARSE; ++c) {
            b[ty][tx] = B[(phase * W + ty) * n + first + c * W]; // <- tile_b
#if DEFECT != 1
            __syncthreads();
#endif
            for (int k = 0; k < W; ++k) value[c] += a[ty][k] * b[k][tx]; // <- multiply
#if DEFECT == 3
            if (c < COARSE - 1)
#endif
#if DEFECT != 2
            __syncthreads();
#endif
        }
    }
#if DEFECT == 4
    for (int c = 0; c <= COARSE; ++c) C[row * n + first + c * W] = value[c % COARSE]; // <- write
#else
    for (int c = 0; c < COARSE; ++c) C[row * n + first + c * W] = value[c]; // <- write
#endif
}
