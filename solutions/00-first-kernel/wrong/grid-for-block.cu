//! fails: correct, global_load_sectors, global_store_sectors
//! why: blocks lie blockDim.x elements apart, not gridDim.x.

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
