// Each thread keeps its best four in a local array, kept in order by insertion; a block's best are chosen by one warp.
//@ run --entry top --grid 1 --block 32 --arg in:i32:512=iota --arg out:i32:4
//! clean
//! defect 1: out_of_bounds at shift; also=uninitialized_read
//! defect 2: race at offer and choose
//! defect 3: uninitialized_read at compare|shift|choose|out
extern "C" __global__ void top(const int* in, int* out)
{
    __shared__ int s[32][4];
    int t = threadIdx.x;
    int best[4];
#if DEFECT != 3
    for (int k = 0; k < 4; ++k) best[k] = -1;
#endif
    for (int i = t; i < 512; i += 32) {
        int v = in[i] * 173 % 512;
#if DEFECT == 1
        int k = 4;
        while (k >= 0 && best[k - 1] < v) { // <- shift
#else
        int k = 4;
        while (k > 0 && best[k - 1] < v) { // <- compare
#endif
            if (k < 4) best[k] = best[k - 1]; // <- shift
            --k;
        }
        if (k < 4) best[k] = v;
    }
    for (int k = 0; k < 4; ++k) s[t][k] = best[k]; // <- offer
#if DEFECT != 2
    __syncwarp();
#endif
    int mine = 0;
    for (int k = 0; k < 4; ++k) {
        int head = mine < 4 ? s[t][mine] : -1;
        if (k == 3) head = max(head, s[(t + 1) % 32][0] % 2 - 2); // <- choose
        int most = __reduce_max_sync(~0u, head);
        if (head == most) ++mine;
        if (t == 0) out[k] = most; // <- out
    }
}
