// The hardware's sum over the lanes that hold data.
//@ run --entry sums --grid 1 --block 64 --arg in:u32:64=iota --arg out:u32:2
//! clean
//! defect 1: invalid_mask warning at add
extern "C" __global__ void sums(const unsigned* in, unsigned* out)
{
    unsigned lane = threadIdx.x & 31, v = in[threadIdx.x];
    unsigned who = __ballot_sync(0xffffffffu, v % 3 != 2);
    if (v % 3 != 2) {
#if DEFECT
        unsigned sum = __reduce_add_sync(0xffffffffu, v); // <- add
        if (lane == 0 || lane == 1) out[threadIdx.x / 32] = sum;
#else
        unsigned sum = __reduce_add_sync(who, v); // <- add
        if (lane == __ffs(who) - 1) out[threadIdx.x / 32] = sum;
#endif
    }
}
//! label 1: was an error; CUDA asks only lanes that have not left the kernel to come to any warp-wide operation, the hardware goes on without them
