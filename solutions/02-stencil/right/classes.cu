//! style: a class for the tile, with an index operator that counts from the block's first element.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 96);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 16);

constexpr int MAX_RADIUS = 64;

template <typename T, int WIDTH, int MAX_HALO> class Tile {
  public:
    template <typename Source> __device__ void load(Source source, int halo) {
        for (int i = static_cast<int>(threadIdx.x) - halo; i < WIDTH + halo; i += blockDim.x) {
            (*this)[i] = source(i);
        }
        __syncthreads();
    }
    __device__ T &operator[](int i) { return elements_[MAX_HALO + i]; }

  private:
    T elements_[WIDTH + 2 * MAX_HALO];
};

extern "C" __global__ void stencil(const int *in, int *out, int n, int radius) {
    constexpr int OUTPUTS = BLOCK_SIZE * OUTPUTS_PER_THREAD;
    __shared__ Tile<int, OUTPUTS, MAX_RADIUS> tile;
    int first = blockIdx.x * OUTPUTS;
    tile.load([=](int i) { return 0 <= first + i && first + i < n ? in[first + i] : 0; }, radius);
    for (int i = threadIdx.x; i < min(OUTPUTS, n - first); i += BLOCK_SIZE) {
        int sum = tile[i];
        for (int distance = 1; distance <= radius; ++distance) {
            sum += tile[i - distance] + tile[i + distance];
        }
        out[first + i] = sum;
    }
}
