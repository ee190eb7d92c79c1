// The lower half reads from a lane of the upper half, which does not take part.
//@ run --entry borrow --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: invalid_mask|uninitialized_read at shuffle
extern "C" __global__ void borrow(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t];
    if (t < 16) {
#if DEFECT
        v = __shfl_sync(0x0000ffff, v, t + 4); // <- shuffle
#else
        v = __shfl_sync(0x0000ffff, v, (t + 4) % 16);
#endif
    }
    out[t] = v;
}
//! label 1: was invalid_mask only; PTX gives the lane an unpredictable value, and using that is what breaks the kernel
