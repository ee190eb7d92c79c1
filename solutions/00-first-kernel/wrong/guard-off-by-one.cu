//! fails: correct, clean/out_of_bounds
//! why: the last element is n - 1, so `i <= n` lets one thread too many through.

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        out[i] = a[i] + b[i];
    }
}
