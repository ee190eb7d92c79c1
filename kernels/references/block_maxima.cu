// What 03-reduction's timed kernel must give, for blocks of any size: the maximum of each block's
// elements. Trusted, and not timed.
extern "C" __global__ void reduce_max(const float *in, float *out, int n) {
    constexpr int LARGEST_BLOCK = 1024;
    __shared__ float data[LARGEST_BLOCK];
    int thread = threadIdx.x;
    int i = blockIdx.x * blockDim.x + thread;
    data[thread] = i < n ? in[i] : -INFINITY;
    __syncthreads();
    for (int stride = LARGEST_BLOCK / 2; stride > 0; stride /= 2) {
        if (thread < stride && thread + stride < blockDim.x) {
            data[thread] = fmaxf(data[thread], data[thread + stride]);
        }
        __syncthreads();
    }
    if (thread == 0) {
        out[blockIdx.x] = data[0];
    }
}
