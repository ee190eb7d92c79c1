// A kernel template over a type, with a specialised trait, instantiated for double.
//@ run --entry axpy<double> --grid 2 --block 128 --arg f64:2.5 --arg in:f64:200=double_any.npy
//@ run --arg inout:f64:200=iota --arg i32:200
// save: 2
// reference: axpy

template <typename T>
struct Bias {
    static constexpr T value = T(1);
};
template <>
struct Bias<double> {
    static constexpr double value = 0.25;
};

template <typename T>
__global__ void axpy(T a, const T* x, T* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fma(a, x[i], y[i]) + Bias<T>::value;
}
