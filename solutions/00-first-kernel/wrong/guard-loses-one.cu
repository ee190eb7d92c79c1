//! fails: correct
//! why: `i < n - 1` leaves the last element out.

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) {
        out[i] = a[i] + b[i];
    }
}
