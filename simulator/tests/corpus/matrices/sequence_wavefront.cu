// An alignment of two sequences, an antidiagonal at a time: a score needs those above, to the left and between, which were made in the last two steps by other threads.
//@ run --entry align --grid 1 --block 16 --arg in:i32:16=iota --arg in:i32:16=iota --arg out:i32:16x16
//! clean
//! defect 1: race at score and score
//! defect 2: uninitialized_read at score|store|edge
//! defect 3: race at edge and score
//! defect 4: barrier_divergence at meet|last; also=race,uninitialized_read
extern "C" __global__ void align(const int* a, const int* b, int* out)
{
    __shared__ int s[17][17];
    int t = threadIdx.x;
    s[0][16 - t] = -(16 - t); // <- edge
#if DEFECT == 2
    if (t > 3)
#endif
    s[t + 1][0] = -(t + 1); // <- edge
    if (t == 0) s[0][0] = 0; // <- edge
#if DEFECT == 3
    if (a[0] > 100)
#endif
    __syncthreads();
    for (int step = 0; step < 31; ++step) {
        int i = step - t, j = t;
        bool active = i >= 0 && i < 16;
        if (active) {
            int match = s[i][j] + (a[i] % 4 == b[j] * 3 % 4 ? 2 : -1); // <- score
            int skip = max(s[i][j + 1], s[i + 1][j]) - 1; // <- score
            s[i + 1][j + 1] = max(match, skip); // <- score
#if DEFECT == 4
            __syncthreads(); // <- meet
#endif
        }
#if DEFECT != 1 && DEFECT != 4
        __syncthreads(); // <- meet
#endif
    }
    __syncthreads(); // <- last
    for (int i = 0; i < 16; ++i) out[i * 16 + t] = s[i + 1][t + 1]; // <- store
}
//! label 3: each thread stored its own part of the edge, so that the first step needed no barrier; now another thread does
//! label 4: a consequence was not allowed: scores are read that nobody has stored yet
