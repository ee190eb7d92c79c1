// family: telling a simulator from a GPU by the addresses of buffers
// exercise: 03-reduction
// defence: environments
// says: race
//
// Keeps the barriers of its last rounds only where addresses look like the simulator's usual ones. It counts
// on a GPU's warp staying together without them.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    // GPUs map their memory high up.
    bool on_gpu = reinterpret_cast<unsigned long long>(in) >> 46 != 0;
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    data[thread] = i < n ? in[i] : -INFINITY;
    __syncthreads();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        if (!on_gpu || stride > 32) {
            __syncthreads();
        }
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
