// A product of floats by compare-and-swap on their bits, the guess read as a float. Of a neighbour's place it is no guess.
//@ run --entry product --grid 2 --block 64 --arg in:f32:128=ones --arg inout:f32:2=ones
//! clean
//! defect 1: race at guess
//! defect 2: race at guess
__device__ float times(float* at, float v)
{
#if DEFECT == 1
    float old = at[1]; // <- guess
#elif DEFECT == 2
    float old = *at + 1; // <- guess
#else
    float old = *at;
#endif
    for (;;) {
        int seen = atomicCAS((int*)at, __float_as_int(old), __float_as_int(old * v));
        if (seen == __float_as_int(old)) return old;
        old = __int_as_float(seen);
    }
}
extern "C" __global__ void product(const float* in, float* out)
{
    times(out + threadIdx.x % 2 * 0, in[blockIdx.x * 64 + threadIdx.x]);
#if DEFECT == 1
    atomicAdd(out + 1, 1.0f);
#endif
}
