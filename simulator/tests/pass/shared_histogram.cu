//@ launch histogram grid=2 block=96 in:u32:iota:1000 inout:u32:zeros:16 i32:1000
extern "C" __global__ void histogram(const unsigned* in, unsigned* bins, int n) {
    __shared__ unsigned mine[16];
    for (int b = threadIdx.x; b < 16; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i] % 16], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 16; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}
