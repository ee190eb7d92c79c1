// Shortest paths between all pairs, one phase for the tile on the diagonal: row k and column k don't change in step k, so one barrier a step is enough.
//@ run --entry paths --grid 1 --block 16,16 --arg inout:i32:256=iota
//! clean
//! defect 1: race at lower
//! defect 2: race at lower
//! defect 3: out_of_bounds at lower
extern "C" __global__ void paths(int* distance)
{
    __shared__ int d[256];
    int x = threadIdx.x, y = threadIdx.y, me = y * 16 + x;
    d[me] = x == y ? 0 : distance[me] * 7 % 90 + 1;
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
#if DEFECT == 2
        int to = d[y * 16 + k] + d[k * 16 + (x + 1) % 16]; // <- lower
#elif DEFECT == 3
        int to = d[y * 16 + k] + d[(k + 1) * 16 + x]; // <- lower
#else
        int to = d[y * 16 + k] + d[k * 16 + x]; // <- lower
#endif
#if DEFECT == 3
        __syncthreads();
#endif
        if (to < d[me]) d[me] = to; // <- lower
#if DEFECT == 1
        if (k % 4 == 3) __syncthreads();
#else
        __syncthreads();
#endif
    }
    distance[me] = d[me];
}
//! label 2: read column k + 1 in step k, which does not change in that step either, for a detour is never shorter; now it reads row k one place further
