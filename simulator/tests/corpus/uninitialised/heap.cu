// Memory from the device heap starts with nothing in it.
//@ run --entry heap --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: uninitialized_read at use|store
extern "C" __global__ void heap(const int* in, int* out)
{
    int t = threadIdx.x;
    int* p = (int*)malloc(4 * sizeof(int));
    if (!p) return;
    for (int k = 0; k < 4; ++k) {
#if DEFECT
        if (k != 2) p[k] = in[t] + k;
#else
        p[k] = in[t] + k;
#endif
    }
    int v = p[0] * p[2]; // <- use
    out[t] = v + p[3]; // <- store
    free(p);
}
