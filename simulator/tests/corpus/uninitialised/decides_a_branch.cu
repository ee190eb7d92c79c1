// A threshold that only one path sets.
//@ run --entry mark --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --arg i32:0
//! clean
//! defect 1: uninitialized_read at decide|store
extern "C" __global__ void mark(const int* in, int* out, int use)
{
    __shared__ int threshold;
    int t = threadIdx.x;
#if DEFECT
    if (use && t == 0) threshold = 10;
#else
    if (t == 0) threshold = use ? 10 : 20;
#endif
    __syncthreads();
    int r = 0;
    if (in[t] > threshold) { // <- decide
        r = in[t] * 2 % 7;
    }
    out[t] = r; // <- store
}
