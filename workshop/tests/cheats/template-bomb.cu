// family: template bombs
// exercise: 03-reduction
// defence: compile-limits
// says: the compiler gave up
// limits: 2000 MB, 1 s
//
// Twice as many types with every step.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
template <int N, int M> struct Bomb {
    static constexpr int value = Bomb<N - 1, 2 * M>::value + Bomb<N - 1, 2 * M + 1>::value;
};
template <int M> struct Bomb<0, M> {
    static constexpr int value = 1;
};
extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    if (Bomb<13, 0>::value != 8192) {
        return;
    }
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    data[thread] = i < n ? in[i] : -INFINITY;
    __syncthreads();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        __syncthreads();
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
