// Fragments of a warp, as far as kernels of a course use them. Declarations only.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

template <typename Use, int M, int N, int K, typename T, typename Layout = void> struct fragment {
    static constexpr int num_elements = M * N / 32;
    T x[num_elements];
};

template <typename Use, int M, int N, int K, typename T, typename Layout>
__device__ void fill_fragment(fragment<Use, M, N, K, T, Layout> &to, const T &value);
template <typename Use, int M, int N, int K, typename T, typename Layout>
__device__ void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &to, const T *from,
                                 unsigned length);
template <int M, int N, int K, typename T>
__device__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &to, const T *from,
                                 unsigned length, layout_t layout);
template <int M, int N, int K, typename T>
__device__ void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &from,
                                  unsigned length, layout_t layout);
template <int M, int N, int K, typename A, typename LayoutA, typename B, typename LayoutB,
          typename C, typename D>
__device__ void mma_sync(fragment<accumulator, M, N, K, D> &to,
                         const fragment<matrix_a, M, N, K, A, LayoutA> &a,
                         const fragment<matrix_b, M, N, K, B, LayoutB> &b,
                         const fragment<accumulator, M, N, K, C> &c);

} // namespace wmma
} // namespace nvcuda
