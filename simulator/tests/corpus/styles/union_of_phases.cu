// One piece of shared memory is integers in a first phase and floats in a second.
//@ run --entry phases --grid 1 --block 64 --arg in:i32:64=iota --arg out:f32:64
//! clean
//! defect 1: race at count and value
//! defect 2: race at value and look
union Scratch {
    int counts[64];
    float values[64];
};
extern "C" __global__ void phases(const int* in, float* out)
{
    __shared__ Scratch s;
    int t = threadIdx.x;
    s.counts[t] = in[t] % 7;
    __syncthreads();
    int sum = s.counts[t] + s.counts[(t + 33) % 64]; // <- count
#if DEFECT != 1
    __syncthreads();
#endif
    s.values[t] = sum * 0.5f; // <- value
#if DEFECT != 2
    __syncthreads();
#endif
    out[t] = s.values[63 - t]; // <- look
}
