// Loads and stores with every cache hint, prefetches: hints change no value.
//@ run --entry cache_operators --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg inout:i32:5x64=zeros
// save: 1
// reference: cache_operators

extern "C" __global__ void cache_operators(const int* in, int* out)
{
    int t = threadIdx.x;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + t));
    __stcg(&out[t], __ldca(&in[t]) + 1);
    __stcs(&out[64 + t], __ldcg(&in[t]) + 2);
    __stwt(&out[128 + t], __ldcs(&in[t]) + 3);
    __stwb(&out[192 + t], __ldcv(&in[t]) + 4);
    int4 v = make_int4(0, 0, 0, 0);
    if (t < 16) v = __ldg(reinterpret_cast<const int4*>(in) + t);
    if (t < 16) __stcs(reinterpret_cast<int4*>(out + 256) + t, make_int4(v.w, v.z, v.y, v.x));
}
