// The mask of a branch must be voted before it.
//@ run --entry ranks --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: invalid_mask note at vote
extern "C" __global__ void ranks(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t];
    out[t] = -1;
#if DEFECT
    if (v % 3 == 0) {
        unsigned mask = __ballot_sync(0xffffffff, 1); // <- vote
#else
    unsigned mask = __ballot_sync(0xffffffff, v % 3 == 0);
    if (v % 3 == 0) {
#endif
        out[t] = __popc(mask & (1u << t) - 1) + __shfl_sync(mask, v, __ffs(mask) - 1);
    }
}
//! label 1: was an error; CUDA asks only lanes that have not left the kernel to come to any warp-wide operation, the hardware goes on without them, and these left before they worked with another: with nothing behind the branch it is an early return
