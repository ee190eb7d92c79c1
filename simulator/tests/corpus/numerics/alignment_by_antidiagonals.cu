// The table of an alignment (Needleman–Wunsch) by antidiagonals; a thread has a column.
//@ run --entry align --grid 1 --block 32 --arg in:i32:32=iota --arg in:i32:32=iota --arg out:i32:1
//! clean
//! defect 1: race at fill
//! defect 2: race at fill
//! defect 3: out_of_bounds at fill
//! defect 4: race at edge and fill
extern "C" __global__ void align(const int* a, const int* b, int* out)
{
    __shared__ int h[33][33];
    int x = threadIdx.x + 1;
    h[0][x] = -x; // <- edge
    h[33 - x][0] = x - 33; // <- edge
    if (x == 1) h[0][0] = 0;
#if DEFECT != 4
    __syncthreads();
#endif
#if DEFECT == 3
    for (int d = 2; d <= 65; ++d) {
        int y = d - x;
        if (y >= 1 && x <= 32) {
#else
    for (int d = 2; d <= 64; ++d) {
#if DEFECT == 2
        int y = d - 1 - (x - 1) / 2;
#else
        int y = d - x;
#endif
        if (y >= 1 && y <= 32) {
#endif
            int same = a[x - 1] % 4 == b[(y - 1) % 32] * 3 % 4 ? 2 : -1;
            h[y][x] = max(h[y - 1][x - 1] + same, max(h[y - 1][x], h[y][x - 1]) - 1); // <- fill
        }
#if DEFECT != 1
        __syncthreads();
#endif
    }
    if (x == 32) *out = h[32][32];
}
//! label 4: each thread made its own column's edge and the first corner was one thread's, so that nothing raced; the edge of rows is made from the other end now
