// Threads beyond the end return first; those that stay vote, compare, sum and hand on with the full mask. CUDA asks only lanes that have not left.
//@ run --entry stay --grid 1 --block 64 --arg in:i32:52=iota --arg out:i32:52 --arg out:i32:52 --arg i32:52
//! clean
//! defect 1: invalid_mask warning at vote; --block 32
//! defect 2: uninitialized_read at use
extern "C" __global__ void stay(const int* in, int* out, int* more, int n)
{
#if DEFECT == 1
    int seen = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        seen |= __ballot_sync(0xffffffff, in[i] & 1); // <- vote
        out[i] = seen, more[i] = i;
    }
#else
    int i = threadIdx.x, lane = i & 31;
    if (i >= n) return;
    int v = in[i], there = min(32, n - (i - lane));
    unsigned votes = __ballot_sync(0xffffffff, v & 1);
    int all = __all_sync(0xffffffff, v >= 0), alike = __popc(__match_any_sync(0xffffffff, v & 3));
    int sum = __reduce_add_sync(0xffffffff, v);
    int next = __shfl_down_sync(0xffffffff, v, 1);
#if DEFECT == 2
    int last = next; // <- use
#else
    int last = lane + 1 < there ? next : v;
#endif
    out[i] = votes + all + alike + sum;
    more[i] = last; // <- use
#endif
}
