// Lanes leave a loop when their own work is done; the vote in it must be by those that are still there.
//@ run --entry steps --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: invalid_mask at vote
extern "C" __global__ void steps(const int* in, int* out)
{
    int t = threadIdx.x;
    int left = in[t] % 5, rounds = 0;
#if DEFECT
    while (left > 0) {
        rounds += __any_sync(0xffffffff, left > 2); // <- vote
        --left;
    }
#else
    while (__any_sync(0xffffffff, left > 0)) {
        rounds += __any_sync(0xffffffff, left > 2);
        --left;
    }
#endif
    out[t] = rounds;
}
