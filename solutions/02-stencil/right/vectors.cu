//! style: int4 loads of the block's own elements, where they are aligned; words for the halo.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(OUTPUTS_PER_THREAD, 8);

constexpr int MAX_RADIUS = 64;
constexpr int OUTPUTS = BLOCK_SIZE * OUTPUTS_PER_THREAD;
constexpr int VECTOR = 4;

extern "C" __global__ void stencil(const int *in, int *out, int n, int radius) {
    // The block's own elements begin at MAX_RADIUS, whatever the radius is.
    __shared__ __align__(16) int tile[MAX_RADIUS + OUTPUTS + MAX_RADIUS];
    int first = blockIdx.x * OUTPUTS;
    int count = min(OUTPUTS, n - first);
    int thread = threadIdx.x;

    bool aligned = reinterpret_cast<size_t>(in + first) % sizeof(int4) == 0;
    int vectors = aligned ? count / VECTOR : 0;
    for (int i = thread; i < vectors; i += BLOCK_SIZE) {
        reinterpret_cast<int4 *>(tile + MAX_RADIUS)[i] =
            reinterpret_cast<const int4 *>(in + first)[i];
    }
    for (int i = vectors * VECTOR + thread; i < OUTPUTS; i += BLOCK_SIZE) {
        tile[MAX_RADIUS + i] = i < count ? in[first + i] : 0;
    }
    for (int i = thread; i < radius; i += BLOCK_SIZE) {
        int left = first - radius + i;
        int right = first + OUTPUTS + i;
        tile[MAX_RADIUS - radius + i] = left >= 0 ? in[left] : 0;
        tile[MAX_RADIUS + OUTPUTS + i] = right < n ? in[right] : 0;
    }
    __syncthreads();

    for (int i = thread; i < count; i += BLOCK_SIZE) {
        int sum = 0;
        for (int place = MAX_RADIUS + i - radius; place <= MAX_RADIUS + i + radius; ++place) {
            sum += tile[place];
        }
        out[first + i] = sum;
    }
}
