// Graphs without vertices or edges, and more threads than either: guards must hold, and barriers be met by all.
//@ run --entry degrees --grid 2 --block 64 --arg in:i32:1=zeros --arg in:i32:1=zeros --arg i32:0 --arg out:i32:1 --arg inout:i32:1=zeros
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: barrier_divergence at meet|last; also=race
extern "C" __global__ void degrees(const int* row, const int* col, int n, int* most, int* total)
{
    __shared__ int best;
    int v = blockIdx.x * 64 + threadIdx.x;
    if (threadIdx.x == 0) best = 0;
#if DEFECT == 2
    if (threadIdx.x < 32)
#endif
    __syncthreads(); // <- meet
#if DEFECT == 1
    if (v <= n) {
#else
    if (v < n) {
#endif
        int degree = row[v + 1] - row[v]; // <- rows
        atomicMax(&best, degree);
        for (int j = row[v]; j < row[v + 1]; ++j) atomicAdd(total, col[j]);
    }
    __syncthreads(); // <- last
    if (threadIdx.x == 0) {
        atomicMax(total, best);
    }
}
