// Baseline of 00-first-kernel: one thread for each element, neighbours next to each other. There is
// no slower honest way to write it, and no faster one worth having: it is bound by memory.
extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
