//! fails: correct, global_load_sectors, global_store_sectors
//! why: the kernel keeps 21 bits of the index, which count only two million elements.

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) & 0x1fffff;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
