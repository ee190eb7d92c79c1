// Numbers of shortest paths, level by level, then what depends on a vertex, back again: levels are parted by barriers only.
//@ run --entry between --grid 1 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:i32:12=values:9,0,1,1,1,1,1,1,1,1,1,9 --arg inout:f32:12=zeros --arg inout:f32:12=zeros
//! clean
//! defect 1: race at paths and count
//! defect 2: race at give
//! defect 3: race at give and need
extern "C" __global__ void between(const int* row, const int* col, int n, const int* level, float* sigma, float* delta)
{
    int t = threadIdx.x, lane = t % 32;
    if (t == 0) sigma[1] = 1; // <- count
#if DEFECT != 1
    __syncthreads();
#endif
    for (int v = t / 32; v < n; v += 2) {
        if (level[v] != 1) continue;
        float sum = 0;
        for (int j = row[v] + lane; j < row[v + 1]; j += 32) {
            if (level[col[j]] == 0) sum += sigma[col[j]]; // <- paths
        }
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (lane == 0) sigma[v] = sum;
    }
    __syncthreads();
    for (int v = t; v < n; v += 64) {
        if (level[v] != 1) continue;
        for (int j = row[v]; j < row[v + 1]; ++j) {
            if (level[col[j]] == 0) {
#if DEFECT == 2
                delta[col[j]] += (1 + v) / sigma[v]; // <- give
#else
                atomicAdd(&delta[col[j]], (1 + v) / sigma[v]); // <- give
#endif
            }
        }
    }
#if DEFECT != 3
    __syncthreads();
#endif
    if (t == 40) sigma[0] = delta[1]; // <- need
}
