// Two sorted sequences are merged in tiles: each thread finds its start by a search along its diagonal.
//@ run --entry merge --grid 2 --block 16 --arg in:i32:70=iota --arg in:i32:58=iota --arg out:i32:128 --arg i32:70 --arg i32:58
//! clean
//! defect 1: race at stage and search|merge
//! defect 2: uninitialized_read|out_of_bounds at merge|emit; also=out_of_bounds,uninitialized_read
//! defect 3: race at emit
//! defect 4: out_of_bounds at stage
__device__ int co_rank(int k, const int* a, int m, const int* b, int n)
{
    int low = max(0, k - n), high = min(k, m);
    while (low < high) {
        int i = (low + high) / 2, j = k - 1 - i;
        if (a[i] <= b[j]) low = i + 1; // <- search
        else high = i;
    }
    return low;
}
extern "C" __global__ void merge(const int* a, const int* b, int* c, int m, int n)
{
    __shared__ int s[64 + 64];
    __shared__ int from[2];
    int t = threadIdx.x, first = blockIdx.x * 64;
    if (t < 2) from[t] = co_rank(min(first + t * 64, m + n), a, m, b, n);
    __syncwarp();
    int a0 = from[0], a1 = from[1], b0 = first - a0, b1 = min(first + 64, m + n) - a1;
    int length_a = a1 - a0, length_b = b1 - b0;
#if DEFECT == 4
    for (int i = t; i < 64; i += 16) s[i] = a[a0 + i]; // <- stage
#else
    for (int i = t; i < length_a; i += 16) s[i] = a[a0 + i]; // <- stage
#endif
    for (int i = t; i < length_b; i += 16) s[64 + i] = b[b0 + i]; // <- stage
#if DEFECT != 1
    __syncthreads();
#endif
    int i = co_rank(4 * t, s, length_a, s + 64, length_b), j = 4 * t - i;
    for (int k = 4 * t; k < 4 * t + 4; ++k) {
#if DEFECT == 2
        bool left = s[i] <= s[64 + j + 4]; // <- merge
#else
        bool left = j >= length_b || i < length_a && s[i] <= s[64 + j]; // <- merge
#endif
#if DEFECT == 3
        c[first + k - (t & 1)] = left ? s[i] : s[64 + j]; // <- emit
#else
        c[first + k] = left ? s[i] : s[64 + j]; // <- emit
#endif
        ++(left ? i : j);
    }
}
