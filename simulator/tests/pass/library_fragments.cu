//@ run --entry product --grid 1 --block 32 --arg out:f32:256
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void product(float* out)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fill_fragment(sum, 0.0f);
    wmma::fill_fragment(a, __float2half(1.0f));
    wmma::fill_fragment(b, __float2half(1.0f));
    wmma::mma_sync(sum, a, b, sum);
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}
