//! style: the tree of 14 with a template for its rounds, and a class for its places; two items a thread.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 64);
LAUNCH_CONSTANT(ITEMS_PER_THREAD, 2);
constexpr int SEGMENT = BLOCK_SIZE * ITEMS_PER_THREAD;
LAUNCH_CONSTANT(WAY, 0);

// The nodes of a tree, 33 words apart where they would be 32.
template <int SIZE> class Tree {
  public:
    __device__ int &operator[](int i) { return words_[i + i / 32]; }

  private:
    int words_[SIZE + SIZE / 32];
};

template <int SIZE, typename Function> __device__ void for_nodes(int distance, Function function) {
    __syncthreads();
    for (int node = threadIdx.x; 2 * distance * (node + 1) <= SIZE; node += BLOCK_SIZE) {
        int right = 2 * distance * (node + 1) - 1;
        function(right - distance, right);
    }
}

extern "C" __global__ void scan_segments(const int *in, int *out, int *sums, int n) {
    __shared__ Tree<SEGMENT> tree;
    int first = blockIdx.x * SEGMENT;
    for (int i = threadIdx.x; i < SEGMENT; i += BLOCK_SIZE) {
        tree[i] = first + i < n ? in[first + i] : 0;
    }
    for (int distance = 1; distance < SEGMENT; distance *= 2) {
        for_nodes<SEGMENT>(distance, [&](int left, int right) { tree[right] += tree[left]; });
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = tree[SEGMENT - 1];
        tree[SEGMENT - 1] = 0;
    }
    for (int distance = SEGMENT / 2; distance > 0; distance /= 2) {
        for_nodes<SEGMENT>(distance, [&](int left, int right) {
            int sum = tree[left];
            tree[left] = tree[right];
            tree[right] += sum;
        });
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SEGMENT && first + i < n; i += BLOCK_SIZE) {
        out[first + i] = tree[i];
    }
}

extern "C" __global__ void add_offsets(int *out, const int *offsets, int n) {
    int offset = offsets[blockIdx.x];
    int first = blockIdx.x * SEGMENT;
    for (int i = first + threadIdx.x; i < min(first + SEGMENT, n); i += BLOCK_SIZE) {
        out[i] += offset;
    }
}

extern "C" __global__ void mark(const int *in, int *keep, int n) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        keep[i] = in[i] > 0;
    }
}

extern "C" __global__ void compact(const int *in, const int *positions, int *out, int *count,
                                   int n) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        int element = in[i];
        int position = positions[i];
        if (element > 0) {
            out[position] = element;
        }
        if (i == n - 1) {
            *count = position + (element > 0);
        }
    }
}
