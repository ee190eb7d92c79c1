//! fails: correct, clean/out_of_bounds
//! why: threads past the last element read and write memory that is not theirs.

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[i];
}
