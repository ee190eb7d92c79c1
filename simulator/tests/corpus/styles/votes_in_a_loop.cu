// Lanes look for a value until one of them has it; who leaves takes no part in later votes.
//@ run --entry find --grid 1 --block 32 --arg in:i32:256=iota --arg out:i32:32
//! clean
//! defect 1: invalid_mask at vote|after
extern "C" __global__ void find(const int* in, int* out)
{
    int lane = threadIdx.x, at = lane;
    unsigned left = 0xffffffff;
    while (true) {
        bool go = at < 64 + 6 * lane;
#if DEFECT
        unsigned more = __ballot_sync(0xffffffff, go); // <- vote
#else
        unsigned more = __ballot_sync(left, go); // <- vote
#endif
        if (!go) break;
        left = more;
        at += 32;
    }
    __syncwarp(); // <- after
    out[lane] = in[at % 256];
}
