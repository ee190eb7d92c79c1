// Histogram with private bins in shared memory, merged by global atomics; blocks smaller than the number of bins.
//@ run --entry histogram --grid 5 --block 96 --arg in:u8:4000=byte_values.npy --arg inout:u32:256=zeros
//@ run --arg i32:4000
// save: 1
// reference: histogram

extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n)
{
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (local[b]) atomicAdd(&bins[b], local[b]);
}
