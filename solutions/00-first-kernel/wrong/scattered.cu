//! fails: global_load_sectors, global_store_sectors
//! why: the sum is right, but neighbouring threads add elements gridDim.x apart, so each lane of a
//! warp fetches a sector of its own.

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = threadIdx.x * gridDim.x + blockIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
