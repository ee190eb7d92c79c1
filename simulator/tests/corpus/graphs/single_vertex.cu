// One vertex with an edge to itself, and all threads of two blocks at work on it.
//@ run --entry one --grid 2 --block 64 --arg in:i32:2=iota --arg in:i32:1=zeros --arg i32:1 --arg inout:i32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at self and raise
//! defect 2: race at first
extern "C" __global__ void one(const int* row, const int* col, int n, int* level, int* out)
{
    for (int v = 0; v < n; ++v) {
        for (int j = row[v]; j < row[v + 1]; ++j) {
#if DEFECT == 1
            int mine = level[col[j]]; // <- self
#else
            int mine = atomicAdd(&level[col[j]], 0);
#endif
            if (mine < 3) {
                atomicMax(&level[v], mine + threadIdx.x % 5); // <- raise
            }
        }
    }
#if DEFECT == 2
    if (threadIdx.x == 17) *out = blockIdx.x; // <- first
#else
    if (threadIdx.x == 17 && blockIdx.x == 1) *out = 1;
#endif
}
