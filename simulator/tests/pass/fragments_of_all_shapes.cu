//@ run --entry shapes --grid 1 --block 32 --arg in:i32:1024=iota --arg out:i32:16
// Every shape and type of the library's fragments, in all layouts, with small whole numbers: loaded, multiplied, doubled number by
// number, stored. Weighted sums of the results; an H100 gives the same.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <typename T> __device__ T number(int v) { return T(v); }
template <> __device__ __half number(int v) { return __int2half_rn(v); }
template <> __device__ __nv_bfloat16 number(int v) { return __float2bfloat16((float)v); }
template <typename T> __device__ int whole(T v) { return (int)(float)v; }
template <> __device__ int whole(double v) { return (int)v; }
template <> __device__ int whole(int v) { return v; }

template <bool ROWS> struct Layout { typedef wmma::row_major type; };
template <> struct Layout<false> { typedef wmma::col_major type; };

__device__ __align__(128) char memory_a[8192], memory_b[8192], memory_c[8192];

// T is the type that the fragment is called by, S what lies in memory.
template <int M, int N, int K, typename T, typename S, typename Sum, bool A, bool B, bool C>
__device__ int product(const int* in)
{
    S* a = reinterpret_cast<S*>(memory_a);
    S* b = reinterpret_cast<S*>(memory_b);
    Sum* c = reinterpret_cast<Sum*>(memory_c);
    int lane = threadIdx.x;
    for (int i = lane; i < M * K; i += 32) a[i] = number<S>(in[i] * 5 % 7);
    for (int i = lane; i < K * N; i += 32) b[i] = number<S>(in[i] * 3 % 5);
    for (int i = lane; i < M * N; i += 32) c[i] = number<Sum>(in[i] * 11 % 13);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, T, typename Layout<A>::type> x;
    wmma::fragment<wmma::matrix_b, M, N, K, T, typename Layout<B>::type> y;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    constexpr wmma::layout_t layout = C ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::load_matrix_sync(x, a, A ? K : M);
    wmma::load_matrix_sync(y, b, B ? N : K);
    wmma::load_matrix_sync(sum, c, C ? N : M, layout);
    wmma::mma_sync(sum, x, y, sum);
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + sum.x[i];
    __syncwarp();
    wmma::store_matrix_sync(c, sum, C ? N : M, layout);
    __syncwarp();
    int all = 0;
    for (int i = lane; i < M * N; i += 32) all += whole(c[i]) * (i % 31 + 1);
    for (int step = 16; step > 0; step /= 2) all += __shfl_xor_sync(0xffffffff, all, step);
    __syncwarp();
    return all;
}

template <typename T, typename S, typename Sum> __device__ void shapes_of(const int* in, int* out)
{
    int square = product<16, 16, 16, T, S, Sum, true, true, true>(in) + 3 * product<16, 16, 16, T, S, Sum, false, false, false>(in);
    int tall = product<32, 8, 16, T, S, Sum, true, false, false>(in), wide = product<8, 32, 16, T, S, Sum, false, true, true>(in);
    if (threadIdx.x == 0) {
        out[0] = square;
        out[1] = tall;
        out[2] = wide;
    }
}

extern "C" __global__ void shapes(const int* in, int* out)
{
    shapes_of<__half, __half, float>(in, out);
    shapes_of<__half, __half, __half>(in, out + 3);
    shapes_of<__nv_bfloat16, __nv_bfloat16, float>(in, out + 6);
    shapes_of<signed char, signed char, int>(in, out + 9);
    shapes_of<unsigned char, unsigned char, int>(in, out + 12);
    int of_tf32 = product<16, 16, 8, wmma::precision::tf32, float, float, true, false, true>(in);
    int of_doubles = product<8, 8, 4, double, double, double, false, true, false>(in);
    if (threadIdx.x == 0) out[15] = of_tf32 + 2 * of_doubles;
}
