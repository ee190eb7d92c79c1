// A local alignment (Smith–Waterman) by one warp: the left neighbour's cell of the last step comes by a shuffle, nothing is in memory.
//@ run --entry local --grid 1 --block 32 --arg in:i32:32=iota --arg in:i32:40=iota --arg inout:i32:1=zeros
//! clean
//! defect 1: race at best
//! defect 2: invalid_mask at left; also=uninitialized_read
//! defect 3: out_of_bounds at letter
extern "C" __global__ void local(const int* a, const int* b, int* best)
{
    int lane = threadIdx.x, mine = a[lane] * 5 % 4, up = 0, corner = 0, most = 0;
    for (int d = 0; d < 40 + 31; ++d) {
        int y = d - lane;
#if DEFECT == 2
        int left = __shfl_up_sync(~1u, up, 1); // <- left
#else
        int left = __shfl_up_sync(~0u, up, 1);
#endif
        if (lane == 0) left = 0;
#if DEFECT == 3
        if (y >= 0) {
#else
        if (y >= 0 && y < 40) {
#endif
            int same = b[y] * 3 % 4 == mine ? 2 : -1; // <- letter
            up = max(0, max(corner + same, max(up, left) - 1));
            most = max(most, up);
        }
        corner = left;
    }
#if DEFECT == 1
    if (most > *best) *best = most; // <- best
#else
    atomicMax(best, most);
#endif
}
