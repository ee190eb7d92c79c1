//! fails: correct
//! why: `i < n - 1` leaves the last element out.

extern "C" __global__ void vector_add(const float *a, const float *b, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) {
        sum[i] = a[i] + b[i];
    }
}
