// A map over a range in strides of the grid as range-based loops and functors write it.
//@ run --entry apply --grid 2 --block 32 --arg in:i32:150=iota --arg out:i32:150 --arg i32:150
//! clean
//! defect 1: out_of_bounds at call
//! defect 2: race at call
//! defect 3: out_of_bounds at call
struct Range {
    struct Iterator {
        int at, step;
        __device__ int operator*() const { return at; }
        __device__ Iterator& operator++() { at += step; return *this; }
#if DEFECT == 3
        __device__ bool operator!=(const Iterator& o) const { return at <= o.at; }
#else
        __device__ bool operator!=(const Iterator& o) const { return at < o.at; }
#endif
    };
    int first, last, step;
    __device__ Iterator begin() const { return {first, step}; }
    __device__ Iterator end() const { return {last, step}; }
};
__device__ Range grid_stride(int first, int last)
{
#if DEFECT == 2
    return {first + (int)(blockIdx.x * (blockDim.x - 1) + threadIdx.x), last, (int)(gridDim.x * blockDim.x)};
#else
    return {first + (int)(blockIdx.x * blockDim.x + threadIdx.x), last, (int)(gridDim.x * blockDim.x)};
#endif
}
template <class F> __device__ void for_each(int n, F f)
{
#if DEFECT == 1
    for (int i : grid_stride(0, (n + 63) / 64 * 64)) f(i);
#else
    for (int i : grid_stride(0, n)) f(i);
#endif
}
extern "C" __global__ void apply(const int* in, int* out, int n)
{
    int block = blockIdx.x;
    for_each(n, [=](int i) { out[i] = in[i] * in[i] + block; }); // <- call
}
