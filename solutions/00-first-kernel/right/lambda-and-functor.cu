//! style: a lambda handed to a template that goes over all elements; the operation is a generic functor.

struct Sum {
    template <typename Left, typename Right>
    __device__ constexpr auto operator()(Left left, Right right) const {
        return left + right;
    }
};

template <typename Function> __device__ void for_each_index(int n, Function &&function) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        function(i);
    }
}

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    for_each_index(n, [=](int i) { out[i] = Sum{}(a[i], b[i]); });
}
