//! fails: correct, global_load_sectors, global_store_sectors
//! why: an index has as many bits as there are elements: 21 end at two million.

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) & 0x1fffff;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
