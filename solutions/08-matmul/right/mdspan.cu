//! style: mdspan for the matrices, and a template for a matrix's tile, which reads zeros outside.

#include <cuda/std/mdspan>

#include "course.cuh"

LAUNCH_CONSTANT(TILE, 24);

using Extents = cuda::std::dextents<int, 2>;
using Matrix = cuda::std::mdspan<const float, Extents>;

template <int SIDE> class Tile {
  public:
    __device__ void load(const Matrix &matrix, int top, int left) {
        int row = top + threadIdx.y;
        int column = left + threadIdx.x;
        bool inside = row < matrix.extent(0) && column < matrix.extent(1);
        words_[threadIdx.y][threadIdx.x] = inside ? matrix(row, column) : 0.0f;
    }
    __device__ float operator()(int row, int column) const { return words_[row][column]; }

  private:
    float words_[SIDE][SIDE];
};

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ Tile<TILE> tile_a, tile_b;
    Matrix matrix_a(a, m, k), matrix_b(b, k, n);
    cuda::std::mdspan<float, Extents> matrix_c(c, m, n);
    int top = blockIdx.y * TILE;
    int left = blockIdx.x * TILE;
    int row = threadIdx.y;
    int column = threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += TILE) {
        tile_a.load(matrix_a, top, first);
        tile_b.load(matrix_b, first, left);
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            sum += tile_a(row, i) * tile_b(i, column);
        }
        __syncthreads();
    }
    if (top + row < m && left + column < n) {
        matrix_c(top + row, left + column) = sum;
    }
}
