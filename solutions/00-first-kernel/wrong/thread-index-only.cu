//! fails: correct
//! why: threadIdx counts within a block, so every block adds the first 256 elements again and nobody the rest.

extern "C" __global__ void vector_add(const float *a, const float *b, float *sum, int n) {
    int i = threadIdx.x;
    if (i < n) {
        sum[i] = a[i] + b[i];
    }
}
