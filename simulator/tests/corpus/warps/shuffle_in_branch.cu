// Half of a warp shuffles with a mask that names all of it.
//@ run --entry fold --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: invalid_mask at shuffle
extern "C" __global__ void fold(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t];
    if (t < 16) {
        for (int d = 8; d > 0; d /= 2) {
#if DEFECT
            v += __shfl_xor_sync(0xffffffff, v, d); // <- shuffle
#else
            v += __shfl_xor_sync(0x0000ffff, v, d);
#endif
        }
    }
    out[t] = v;
}
