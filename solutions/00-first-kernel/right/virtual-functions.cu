//! style: an abstract operation with virtual functions, chosen at run time.

struct Operation {
    __device__ virtual float apply(float left, float right) const = 0;
};
struct Addition : Operation {
    __device__ float apply(float left, float right) const override { return left + right; }
};
struct Left : Operation {
    __device__ float apply(float left, float) const override { return left; }
};

__device__ __noinline__ float apply_to(const Operation &operation, float left, float right) {
    return operation.apply(left, right);
}

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    Addition addition;
    Left left;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const Operation *operation = &addition;
        if (n < 0) {
            operation = &left;
        }
        out[i] = apply_to(*operation, a[i], b[i]);
    }
}
