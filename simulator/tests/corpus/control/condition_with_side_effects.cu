// Short-circuit conditions with an atomic inside; the guard comes before what it guards.
//@ run --entry guard --grid 1 --block 64 --arg in:i32:50=iota --arg inout:i32:10=zeros --arg i32:50
//! clean
//! defect 1: out_of_bounds at test
//! defect 2: race at claim
extern "C" __global__ void guard(const int* in, int* claimed, int n)
{
    int t = threadIdx.x;
#if DEFECT == 1
    if (in[t] % 2 && t < n && atomicAdd(&claimed[in[t] / 5], 1) == 0) { // <- test
#elif DEFECT == 2
    if (t < n && in[t] % 2 && claimed[in[t] / 5]++ == 0) { // <- claim
#else
    if (t < n && in[t] % 2 && atomicAdd(&claimed[in[t] / 5], 1) == 0) {
#endif
        atomicAdd(&claimed[9 - in[t] / 5], 100);
    }
}
