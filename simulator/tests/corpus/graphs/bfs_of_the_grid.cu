// The same by all blocks, which meet by a counter; the two lists are emptied in turn by one thread.
//@ run --entry bfs --grid 3 --block 32 --cooperative --arg in:i32:41=values:0,0,2,9,12,17,26,30,35,39,44,46,48,53,55,64,67,73,73,74,76,82,85,92,96,101,103,110,112,115,117,120,122,128,130,134,136,142,144,149,149 --arg in:i32:149=values:4,14,5,9,18,19,23,37,38,14,16,26,1,9,11,22,36,2,8,9,14,16,23,24,30,36,12,25,31,38,7,20,22,32,38,5,12,16,21,2,4,5,16,28,15,36,4,26,6,8,22,27,38,26,32,1,3,5,15,20,21,22,31,34,10,14,22,3,5,8,9,24,28,2,2,26,7,14,24,30,32,33,8,14,38,4,7,12,14,15,25,33,2,5,28,34,5,16,20,26,32,6,22,3,11,13,19,24,30,35,12,36,9,16,23,32,34,5,20,26,6,14,7,13,20,24,29,36,20,22,14,23,29,37,26,36,4,5,10,27,32,35,2,34,2,6,7,12,21 --arg i32:40 --arg inout:i32:40=const:-1 --arg inout:i32:160=zeros --arg inout:i32:4=zeros --arg inout:u32:1=zeros
//! clean
//! defect 1: race at set
//! defect 2: race at entry and take
//! defect 3: race at entry and take
//! defect 4: race at entry and take
__device__ void meet(unsigned* gate, unsigned& round)
{
#if DEFECT != 2
    __syncthreads();
#endif
    round += gridDim.x;
    if (threadIdx.x == 0) {
#if DEFECT == 3
        __threadfence_block();
#else
        __threadfence();
#endif
        atomicAdd(gate, 1);
        while (atomicAdd(gate, 0) < round) {}
        __threadfence();
    }
#if DEFECT != 4
    __syncthreads();
#endif
}
extern "C" __global__ void bfs(const int* row, const int* col, int n, int* level, int* lists, int* size, unsigned* gate)
{
    unsigned round = 0;
    int i = threadIdx.x * gridDim.x + blockIdx.x;
    if (i == 0) {
        lists[0] = 5; // <- entry
        atomicExch(&level[5], 0);
        atomicExch(&size[0], 1);
    }
    meet(gate, round);
    for (int depth = 1; depth < 4; ++depth) {
        int* now = lists + (depth - 1) * n;
        int count = atomicAdd(&size[depth - 1], 0);
        for (int k = i; k < count; k += gridDim.x * blockDim.x) {
            int v = now[k]; // <- take
            for (int j = row[v]; j < row[v + 1]; ++j) {
                int w = col[j];
#if DEFECT == 1
                if (level[w] == -1) {
                    level[w] = depth * 100 + i; // <- set
#else
                if (atomicCAS(&level[w], -1, depth) == -1) {
#endif
                    now[n + atomicAdd(&size[depth], 1)] = w; // <- entry
                }
            }
        }
        meet(gate, round);
    }
}
