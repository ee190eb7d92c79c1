// A block-wide sum as an object that is used twice on the same scratch.
//@ run --entry twice --grid 2 --block 96 --arg in:i32:192=iota --arg out:i32:192
//! clean
//! defect 1: race at part and gather
//! defect 2: race at part and gather
//! defect 3: invalid_mask at down
struct BlockSum {
    int* scratch;
    __device__ int operator()(int v)
    {
        unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#if DEFECT == 3
        if (lane < 30)
#endif
        for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d); // <- down
        if (!lane) scratch[warp] = v; // <- part
#if DEFECT != 1
        __syncthreads();
#endif
        v = 0;
        for (unsigned w = 0; w < blockDim.x / 32; ++w) v += scratch[w]; // <- gather
#if DEFECT != 2
        __syncthreads();
#endif
        return v;
    }
};
extern "C" __global__ void twice(const int* in, int* out)
{
    __shared__ int s[3];
    BlockSum add{s};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mean = add(in[i]) / 96;
    out[i] = add((in[i] - mean) * (in[i] - mean));
}
