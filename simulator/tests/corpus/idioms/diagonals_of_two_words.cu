// Distance of two words along anti-diagonals: a row of shared memory each for this diagonal and the two before.
//@ run --entry distance --grid 1 --block 32 --arg in:i32:31=iota --arg in:i32:31=iota --arg out:i32:1
//! clean
//! defect 1: race at cell|edge and cell|edge
//! defect 2: race at cell|edge and cell|edge
extern "C" __global__ void distance(const int* a, const int* b, int* out)
{
    constexpr int N = 31;
#if DEFECT == 1
    constexpr int ROWS = 2;
#else
    constexpr int ROWS = 3;
#endif
    __shared__ int d[ROWS][N + 1];
    int i = threadIdx.x;
    for (int k = 0; k <= 2 * N; ++k) {
        int j = k - i;
        if (j >= 0 && j <= N) {
            if (i == 0 || j == 0) {
                d[k % ROWS][i] = i + j; // <- edge
            } else {
                int left = d[(k + ROWS - 1) % ROWS][i], up = d[(k + ROWS - 1) % ROWS][i - 1]; // <- cell
                int corner = d[(k + 2 * ROWS - 2) % ROWS][i - 1] + (a[i - 1] != b[j - 1]); // <- cell
                d[k % ROWS][i] = min(corner, 1 + min(left, up)); // <- cell
            }
        }
#if DEFECT != 2
        __syncthreads();
#endif
    }
    if (i == N) out[0] = d[2 * N % ROWS][N];
}
