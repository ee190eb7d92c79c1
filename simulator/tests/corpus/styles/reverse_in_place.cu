// A line is reversed by swapping ends: half of the threads do it all.
//@ run --entry reverse --grid 2 --block 64 --arg inout:i64:100=iota --arg i32:100
//! clean
//! defect 1: race at swap
//! defect 2: out_of_bounds at swap
template <class T>
__device__ void swap(T& a, T& b)
{
    T c = a; // <- swap
    a = b; // <- swap
    b = c; // <- swap
}
extern "C" __global__ void reverse(long long* data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 1
    if (i < n) swap(data[i], data[n - 1 - i]);
#elif DEFECT == 2
    if (i < n / 2) swap(data[i], data[n - i]);
#else
    if (i < n / 2) swap(data[i], data[n - 1 - i]);
#endif
}
