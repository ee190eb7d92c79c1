// Lanes have lists of different lengths and go when theirs is done; those that still have an element pass it on to the next of them. The mask is that of the round.
//@ run --entry rounds --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: invalid_mask warning at meet
//! defect 2: invalid_mask warning at vote
extern "C" __global__ void rounds(const int* in, int* out)
{
    __shared__ int s[2][32];
    int lane = threadIdx.x, many = in[lane] % 5 + 1;
    unsigned mask = 0xffffffff;
    for (int k = 0; k < many; ++k) {
        s[k & 1][lane] = k * 100 + lane;
#if DEFECT == 1
        __syncwarp(); // <- meet
#else
        __syncwarp(mask);
#endif
        unsigned below = mask & (1u << lane) - 1;
        out[lane] = s[k & 1][below ? 31 - __clz(below) : lane];
        __syncwarp(mask);
#if DEFECT == 2
        mask = __ballot_sync(0xffffffff, k + 1 < many); // <- vote
#else
        mask = __ballot_sync(mask, k + 1 < many);
#endif
    }
}
//! label 0: the last reads of a lane that leaves were ordered before nobody's writes, for a ballot orders no memory; two buffers are no help against that
//! label 1: was an error, for who leaves the loop was taken to be past the barrier in it; but there is nothing behind the loop, and CUDA asks only lanes that have not left the kernel
//! label 2: was an error; CUDA asks only lanes that have not left the kernel to come to any warp-wide operation, the hardware goes on without them
