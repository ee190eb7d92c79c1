// Breadth-first: a block collects new vertices in a shared queue, then takes room for all at once in the global one.
//@ run --entry collect --grid 2 --block 32 --arg in:i32:33=values:0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62,64 --arg in:i32:64=iota --arg inout:i32:64=zeros --arg inout:i32:1=zeros --arg out:i32:64 --arg i32:32
//! clean
//! defect 1: race at keep and take
//! defect 2: race at claim
//! defect 3: race at base and put
//! defect 4: out_of_bounds at keep
extern "C" __global__ void collect(const int* row, const int* col, int* seen, int* size, int* queue, int n)
{
#if DEFECT == 4
    __shared__ int mine[30];
#else
    __shared__ int mine[64];
#endif
    __shared__ int count, base;
    int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    int v = blockIdx.x * 16 + t;
    if (t < 16 && v < n) {
        for (int j = row[v]; j < row[v + 1]; ++j) {
            int w = col[j] * 3 % 64;
#if DEFECT == 2
            if (seen[w / 2] == 0) { // <- claim
                seen[w / 2] = 1 + t; // <- claim
#else
            if (atomicExch(&seen[w], 1) == 0) {
#endif
                mine[atomicAdd(&count, 1)] = w; // <- keep
            }
        }
    }
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 1
    if (t == 31) base = atomicAdd(size, count); // <- take
#else
    if (t == 0) base = atomicAdd(size, count); // <- base
#endif
#if DEFECT != 3
    __syncthreads();
#endif
    int many = count;
    for (int k = t; k < many; k += 32) queue[base + k] = mine[k]; // <- put
}
