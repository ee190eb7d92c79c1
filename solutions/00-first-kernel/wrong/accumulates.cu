//! fails: correct, clean/uninitialized_read, global_load_sectors
//! why: `+=` reads `out` before the kernel has written anything there.

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] += a[i] + b[i];
    }
}
