// Distances lowered by several blocks need device scope; block scope excludes only the own block's threads.
//@ run --entry relax --grid 7 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:i32:33=values:1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9 --arg inout:u32:12=const:1000
//! clean
//! defect 1: race at lower
//! defect 2: race at read|lower
extern "C" __global__ void relax(const int* row, const int* col, int n, const int* weight, unsigned* distance)
{
    int lane = threadIdx.x % 32, v = (blockIdx.x * 64 + threadIdx.x) / 32;
    if (v >= n) return;
#if DEFECT == 2
    unsigned mine = atomicAdd_block(&distance[v], 0u); // <- read
#else
    unsigned mine = atomicAdd(&distance[v], 0u);
#endif
    for (int j = row[v] + lane; j < row[v + 1]; j += 32) {
#if DEFECT == 1
        atomicMin_block(&distance[col[j]], mine % 100 + weight[j]); // <- lower
#else
        atomicMin(&distance[col[j]], mine % 100 + weight[j]); // <- lower
#endif
    }
}
