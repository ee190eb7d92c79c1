// A vote while some lanes of the warp leave the kernel: of those that stay, by their own mask.
//@ run --entry last --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: invalid_mask warning at vote
extern "C" __global__ void last(const int* in, int* out)
{
    int lane = threadIdx.x, v = in[lane];
    unsigned stay = __ballot_sync(0xffffffff, v % 4 != 3);
    if (v % 4 == 3) {
        out[lane] = v;
        return;
    }
#if DEFECT
    stay = 0xffffffff;
#endif
    out[lane] = __ballot_sync(stay, v > 16); // <- vote
}
//! label 0: had the full mask, and was called clean because CUDA asks only lanes that have not left; nothing makes them leave before the others vote, as with any branch
//! label 1: was an error; CUDA asks only lanes that have not left the kernel to come to any warp-wide operation, the hardware goes on without them
