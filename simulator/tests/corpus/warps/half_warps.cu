// Two halves of a warp shuffle on their own, each with its own mask.
//@ run --entry halves --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: invalid_mask at shuffle
extern "C" __global__ void halves(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t];
#if DEFECT
    unsigned mask = 0x0000ffff;
#else
    unsigned mask = t < 16 ? 0x0000ffff : 0xffff0000;
#endif
    for (int d = 8; d > 0; d /= 2) {
        v += __shfl_down_sync(mask, v, d, 16); // <- shuffle
    }
    out[t] = v;
}
