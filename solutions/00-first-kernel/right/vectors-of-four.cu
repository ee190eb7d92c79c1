//! style: float4 where the addresses allow it, single floats elsewhere.

constexpr int VECTOR = 4;

__device__ bool is_aligned(const void *address) {
    return reinterpret_cast<size_t>(address) % sizeof(float4) == 0;
}

__device__ float4 operator+(const float4 &left, const float4 &right) {
    return make_float4(left.x + right.x, left.y + right.y, left.z + right.z, left.w + right.w);
}

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int first = blockIdx.x * blockDim.x;
    int count = min(static_cast<int>(blockDim.x), n - first);
    a += first;
    b += first;
    out += first;
    int vectors = is_aligned(a) && is_aligned(b) && is_aligned(out) ? count / VECTOR : 0;
    for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
        reinterpret_cast<float4 *>(out)[i] =
            reinterpret_cast<const float4 *>(a)[i] + reinterpret_cast<const float4 *>(b)[i];
    }
    for (int i = vectors * VECTOR + threadIdx.x; i < count; i += blockDim.x) {
        out[i] = a[i] + b[i];
    }
}
