// A sum of doubles by compare-and-swap as the CUDA guide has it: the first read is only a guess, checked by what follows. One that decides is none.
//@ run --entry total --grid 2 --block 64 --arg in:f64:128=iota --arg inout:f64:1=zeros
//! clean
//! defect 1: race at store
//! defect 2: race at first|decide
//! defect 3: race at other
__device__ double add(double* at, double v)
{
    unsigned long long* bits = (unsigned long long*)at;
    unsigned long long old = *bits, assumed; // <- first
#if DEFECT == 2
    if (__longlong_as_double(*bits) > 5000) return 0; // <- decide
#endif
    do {
        assumed = old;
#if DEFECT == 1
        *bits = __double_as_longlong(v + __longlong_as_double(assumed)); // <- store
#elif DEFECT == 3
        old = atomicCAS(bits, assumed, __double_as_longlong(v + *(double*)bits)); // <- other
#else
        old = atomicCAS(bits, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
#endif
    } while (assumed != old);
    return __longlong_as_double(old);
}
extern "C" __global__ void total(const double* in, double* sum)
{
    add(sum, in[blockIdx.x * 64 + threadIdx.x]);
}
//! label 2: named the second read only; the compiler reads once, where the first stands
