// The library's fragments: a 32 × 32 product of halves by four warps, whose results go through shared memory to be scaled by others.
//@ run --entry product --grid 1 --block 128 --arg in:i32:32x32=iota --arg in:i32:32x32=iota --arg out:f32:32x32
//! clean
//! defect 1: uninitialized_read at scale
//! defect 2: race at store and scale
//! defect 3: out_of_bounds at load_b
//! defect 4: invalid_mask at load_a|load_b|multiply|store; also=barrier_divergence
//! defect 5: race at stage and load_a|load_b
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const int* A, const int* B, float* C)
{
    __shared__ __align__(32) __half a[32][32], b[32][32];
    __shared__ __align__(32) float c[32][32];
    int t = threadIdx.x, warp = t / 32, row = warp / 2 * 16, column = warp % 2 * 16;
    for (int i = t; i < 1024; i += 128) {
        a[i / 32][i % 32] = __int2half_rn(A[i] % 7 - 3); // <- stage
        b[i / 32][i % 32] = __int2half_rn(B[i] % 5 - 2);
    }
#if DEFECT != 5
    __syncthreads();
#endif
#if DEFECT == 4
    if (t >= 120) return;
#endif
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
#if DEFECT != 1
    wmma::fill_fragment(sum, 0.0f);
#endif
    for (int k = 0; k < 32; k += 16) {
        wmma::load_matrix_sync(x, &a[row][k], 32); // <- load_a
#if DEFECT == 3
        wmma::load_matrix_sync(y, &b[k][column], 320); // <- load_b
#else
        wmma::load_matrix_sync(y, &b[k][column], 32); // <- load_b
#endif
        wmma::mma_sync(sum, x, y, sum); // <- multiply
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;
    wmma::store_matrix_sync(&c[row][column], sum, 32, wmma::mem_row_major); // <- store
#if DEFECT != 2
    __syncthreads();
#endif
    for (int i = t; i < 1024; i += 128) C[i] = c[i / 32][i % 32] + 1; // <- scale
}
//! label 4: the threads that left are missing at the barrier behind the product, too, which is a warning
