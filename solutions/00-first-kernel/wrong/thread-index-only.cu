//! fails: correct, global_load_sectors, global_store_sectors
//! why: threadIdx counts within a block, so every block adds the first 256 elements again, and no
//! block adds the rest.

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
