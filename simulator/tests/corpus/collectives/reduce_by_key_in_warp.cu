// Sums of runs of equal keys within a warp: heads of runs are found by a ballot, and values come down from above as far as the run goes. The last warp is partial.
//@ run --entry runs --grid 1 --block 80 --arg in:i32:80=iota --arg out:i32:80
//! clean
//! defect 1: invalid_mask at down
//! defect 2: uninitialized_read|invalid_mask at result|down
//! defect 3: invalid_mask at ballot
extern "C" __global__ void runs(const int* in, int* out)
{
    int t = threadIdx.x, lane = t & 31, many = min(32, 80 - (t & ~31));
    unsigned all = many == 32 ? 0xffffffffu : (1u << many) - 1;
    int key = in[t] / 5, value = in[t];
    int before = __shfl_up_sync(all, key, 1);
    bool head = lane == 0 || before != key;
#if DEFECT == 3
    unsigned heads = head ? __ballot_sync(all, 1) : 0; // <- ballot
#else
    unsigned heads = __ballot_sync(all, head); // <- ballot
#endif
    unsigned above = lane == 31 ? 0u : heads >> (lane + 1);
    int end = above ? lane + __ffs(above) : many;
    for (int d = 1; d < 32; d *= 2) {
#if DEFECT == 1
        if (lane + d < end) value += __shfl_down_sync(all, value, d); // <- down
#elif DEFECT == 2
        int other = __shfl_down_sync(all & (lane & 1 ? 0xaaaaaaaa : 0x55555555), value, d); // <- down
        if (lane + d < end) value += other;
#else
        int other = __shfl_down_sync(all, value, d);
        if (lane + d < end) value += other;
#endif
    }
    out[t] = head ? value : 0; // <- result
}
