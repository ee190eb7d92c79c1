// Baseline of 00-first-kernel: each thread adds one element, and neighbouring threads add
// neighbours. No honest kernel is slower, and no faster kernel is worth the effort: memory is the
// limit.
extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
