//! fails: global_load_sectors, global_store_sectors
//! why: the sum is right, but the threads of a warp are gridDim.x elements apart and each drags in
//! its own sector.

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = threadIdx.x * gridDim.x + blockIdx.x;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
