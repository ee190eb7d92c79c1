// A loop that goes on as long as any lane of the warp has work; those without go along.
//@ run --entry steps --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: invalid_mask at vote
//! defect 2: invalid_mask at share|vote; also=uninitialized_read
extern "C" __global__ void steps(const int* in, int* out)
{
    int t = threadIdx.x, n = in[t] * 7 % 23, total = 0;
#if DEFECT == 1
    while (n > 0) {
        total += __popc(__ballot_sync(0xffffffff, n % 2)); // <- vote
        --n;
    }
#else
    while (__any_sync(0xffffffff, n > 0)) { // <- vote
#if DEFECT == 2
        if (n > 0) total += __shfl_xor_sync(0xffffffff, n, 1); // <- share
#else
        int other = __shfl_xor_sync(0xffffffff, n, 1); // <- share
        if (n > 0) total += other;
#endif
        --n;
    }
#endif
    out[t] = total;
}
