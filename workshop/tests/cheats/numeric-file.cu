// family: numeric files compiled in
// exercise: 03-reduction
// defence: confinement
// says: cannot open source file
//
// A file that holds a number is an expression: no message shows it, the kernel gets it.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
constexpr long long READ_FROM_THE_MACHINE =
#include "/proc/sys/kernel/pid_max"
    ;

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    if (READ_FROM_THE_MACHINE == 0) {
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
