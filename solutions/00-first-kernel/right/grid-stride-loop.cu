//! style: a grid-stride loop over size_t, with restrict-qualified pointers and streaming accesses.

extern "C" __global__ void vector_add(const float *__restrict__ a, const float *__restrict__ b,
                                      float *__restrict__ out, int n) {
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        __stcs(&out[i], __ldcs(&a[i]) + __ldcs(&b[i]));
    }
}
