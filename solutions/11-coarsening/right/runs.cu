//! style: each block goes along a run of its own; a tree in shared memory for 96 threads; a generic view.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 96);
LAUNCH_CONSTANT(MOST_BLOCKS, 1056);

// The whole vectors of an array that begins anywhere.
template <typename T, typename Vector> struct Whole {
    static constexpr int WIDTH = sizeof(Vector) / sizeof(T);
    const Vector *vectors;
    int head, count, tail;

    __device__ Whole(const T *array, int n) {
        int misplaced = reinterpret_cast<size_t>(array) / sizeof(T) % WIDTH;
        head = min(n, (WIDTH - misplaced) % WIDTH);
        count = (n - head) / WIDTH;
        tail = head + count * WIDTH;
        vectors = reinterpret_cast<const Vector *>(array + head);
    }
};

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    __shared__ float data[BLOCK_SIZE];
    const Whole<float, float4> whole(in, n);
    // A run is whole rounds of the block, so that no request is cut in two.
    int each = ceil_div(ceil_div(whole.count, gridDim.x), BLOCK_SIZE) * BLOCK_SIZE;
    int first = min(whole.count, static_cast<int>(blockIdx.x) * each);
    int end = min(whole.count, first + each);
    float mine = -INFINITY;
    for (int i = first + threadIdx.x; i < end; i += BLOCK_SIZE) {
        const float4 four = whole.vectors[i];
        mine = fmaxf(mine, fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w)));
    }
    if (blockIdx.x == 0) {
        int thread = threadIdx.x;
        mine = thread < whole.head ? fmaxf(mine, in[thread]) : mine;
        mine = whole.tail + thread < n ? fmaxf(mine, in[whole.tail + thread]) : mine;
    }
    data[threadIdx.x] = mine;
    for (int left = BLOCK_SIZE; left > 1; left = ceil_div(left, 2)) {
        __syncthreads();
        int other = threadIdx.x + ceil_div(left, 2);
        if (other < left) {
            data[threadIdx.x] = fmaxf(data[threadIdx.x], data[other]);
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = data[0];
    }
}
