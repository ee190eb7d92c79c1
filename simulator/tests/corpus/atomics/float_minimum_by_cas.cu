// Minimum of floats by compare-and-swap on their bits, from a guess that needs no reading.
//@ run --entry minimum --grid 2 --block 64 --arg in:f32:128=iota --arg inout:f32:1=const:1000
//! clean
//! defect 1: race at store
//! defect 2: race at guess and swap
__device__ void lower(float* at, float v)
{
    int* bits = (int*)at;
#if DEFECT == 1
    if (v < *at) {
        *at = v; // <- store
    }
#else
#if DEFECT == 2
    int old = *bits; // <- guess
#else
    int old = __float_as_int(1000.0f);
#endif
    while (__int_as_float(old) > v) {
        int seen = atomicCAS(bits, old, __float_as_int(v)); // <- swap
        if (seen == old) break;
        old = seen;
    }
#endif
}
extern "C" __global__ void minimum(const float* in, float* best)
{
    lower(best, in[blockIdx.x * 64 + threadIdx.x]);
}
