// The right side of && would decide by an unset value, where the left side already says no.
//@ run --entry guarded --grid 1 --block 64 --arg in:i32:40=iota --arg out:i32:64 --arg i32:40
//! clean
//! defect 1: uninitialized_read at test|store
extern "C" __global__ void guarded(const int* in, int* out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < n) s[t] = in[t];
    __syncthreads();
    int r = 0;
#if DEFECT
    if (t <= n && s[t] > 7) { // <- test
#else
    if (t < n && s[t] > 7) {
#endif
        r = 1;
    }
    out[t] = r; // <- store
}
