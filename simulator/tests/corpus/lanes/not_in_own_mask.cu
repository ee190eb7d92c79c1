// The even lanes exchange values among themselves; their mask names them, or the odd ones.
//@ run --entry evens --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: invalid_mask at swap
extern "C" __global__ void evens(const int* in, int* out)
{
    int t = threadIdx.x;
    int v = in[t];
#if DEFECT
    unsigned mask = 0xaaaaaaaa;
#else
    unsigned mask = 0x55555555;
#endif
    if (t % 2 == 0) {
        v = __shfl_xor_sync(mask, v, 2); // <- swap
    }
    out[t] = v;
}
