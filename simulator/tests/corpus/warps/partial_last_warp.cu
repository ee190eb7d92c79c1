// A block of 48: the last warp has sixteen lanes. A lane that reads an absent one must throw away what it gets.
//@ run --entry sums --grid 1 --block 48 --arg in:i32:48=iota --arg out:i32:2
//! clean; also=invalid_mask
//! defect 1: invalid_mask|uninitialized_read at shuffle|store
extern "C" __global__ void sums(const int* in, int* out)
{
    int t = threadIdx.x, lane = t % 32, v = in[t];
    int lanes = t < 32 ? 32 : 16;
    unsigned mask = t < 32 ? 0xffffffff : 0x0000ffff;
    for (int d = 16; d > 0; d /= 2) {
        int other = __shfl_down_sync(mask, v, d); // <- shuffle
#if DEFECT
        v += other;
#else
        if (lane + d < lanes) v += other;
#endif
    }
    if (lane == 0) {
        out[t / 32] = v; // <- store
    }
}
//! label 0: named no warning; CUDA allows reading only from threads that take part, so the warning is right though the value is thrown away
