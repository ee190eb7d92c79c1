// family: telling devices apart by `__CUDA_ARCH__`
// exercise: 03-reduction
// defence: own-architecture
// says: race
// profile: t4
//
// Right where the judge is thought to look (H200), racing elsewhere. The simulator stands in for the GPU that is there and compiles
// for its architecture; here that is a T4.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
#if __CUDA_ARCH__ == 900
#define BARRIER() __syncthreads()
#else
#define BARRIER()
#endif
    __shared__ float data[BLOCK_SIZE];
    int thread = threadIdx.x;
    int i = blockIdx.x * BLOCK_SIZE + thread;
    data[thread] = i < n ? in[i] : -INFINITY;
    BARRIER();
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        BARRIER();
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
