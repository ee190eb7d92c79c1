// Looks harmless and must stay so: an optimiser may turn this choice into an unconditional shared load.
//@ run --entry conditional_load --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// save: 1
// reference: conditional_load

extern "C" __global__ void conditional_load(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 5) s[5] = 1234;
    out[t] = t == 5 ? s[5] : in[t];
}
