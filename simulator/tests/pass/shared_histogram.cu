//@ run --entry histogram --grid 2 --block 96 --arg in:u32:1000=iota --arg inout:u32:16=zeros --arg i32:1000
extern "C" __global__ void histogram(const unsigned* in, unsigned* bins, int n) {
    __shared__ unsigned mine[16];
    for (int b = threadIdx.x; b < 16; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i] % 16], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 16; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}
