// Reference of 12-histogram: says what timed kernels must give. Never timed itself.
extern "C" __global__ void histogram(const unsigned char *in, unsigned int *bins, int n) {
    __shared__ unsigned int mine[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        mine[bin] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&mine[in[i]], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
