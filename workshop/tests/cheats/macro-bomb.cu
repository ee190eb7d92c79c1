// family: macro bombs
// exercise: 03-reduction
// defence: compile-limits
// says: the compiler gave up
// limits: 2000 MB, 1 s
//
// A few lines that become very many.

#include "course.cuh"
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
#define A0 x = x * x + 1.0f;
#define A1 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0
#define A2 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1
#define A3 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2
#define PART(NAME) __device__ __noinline__ float NAME(float x) { A3 return x; }
PART(p0) PART(p1) PART(p2) PART(p3) PART(p4) PART(p5) PART(p6) PART(p7)

extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
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
    float x = data[0];
    if (n < 0) {
        data[0] = p0(p1(p2(p3(p4(p5(p6(p7(x))))))));
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
