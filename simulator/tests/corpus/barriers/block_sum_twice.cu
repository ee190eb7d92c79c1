// A helper with scratch memory, called from two places: its second call overwrites what slow warps of the first still read.
//@ run --entry mean_and_spread --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at partial and result
//! defect 2: race at partial and result
__device__ int block_sum(int v, int* scratch)
{
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) {
        scratch[threadIdx.x / 32] = v; // <- partial
    }
#if DEFECT != 2
    __syncthreads();
#endif
    int sum = scratch[0] + scratch[1]; // <- result
#if DEFECT != 1
    __syncthreads();
#endif
    return sum;
}
extern "C" __global__ void mean_and_spread(const int* in, int* out)
{
    __shared__ int scratch[2];
    int v = in[threadIdx.x];
    int mean = block_sum(v, scratch) / 64;
    int spread = block_sum((v - mean) * (v - mean), scratch);
    out[threadIdx.x] = mean * 1000 + spread;
}
