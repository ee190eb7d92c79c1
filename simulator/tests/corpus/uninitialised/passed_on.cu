// A value that nothing wrote goes through a local array, through shared memory to another thread, or through
// both: it is the first read that lacks a writer.
//@ run --entry pass --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --arg i32:3
//! clean
//! defect 1: uninitialized_read at keep and first
//! defect 2: uninitialized_read at keep and first
//! defect 3: uninitialized_read at keep and other
//! defect 4: uninitialized_read at decide and first
extern "C" __global__ void pass(const int* in, int* out, int k)
{
    __shared__ int tile[64], turned[64];
    int t = threadIdx.x;
    int own[4];
#if DEFECT == 1 || DEFECT == 2 || DEFECT == 4
    if (t != 17) tile[t] = in[t];
#else
    tile[t] = in[t];
#endif
    __syncthreads();
    for (int j = 0; j < 4; ++j) own[j] = tile[(t + j) & 63]; // <- first
#if DEFECT == 3
    int never[4];
    if (k == 2) never[0] = never[1] = never[2] = never[3] = t;
    own[0] = never[k]; // <- other
#endif
    int v = own[(t + k) & 3];
#if DEFECT == 2 || DEFECT == 4 || !DEFECT
    turned[t] = v;
    __syncthreads();
    v = turned[t ^ 32];
#endif
#if DEFECT == 4
    if (v > 400) return; // <- decide
#endif
    out[t] = v; // <- keep
}
