// One flag that many threads raise by a plain store of one value: a remark, no accusation. Asked before the barrier it is a race.
//@ run --entry sssp --grid 1 --block 64 --arg in:i32:41=values:0,0,2,9,12,17,26,30,35,39,44,46,48,53,55,64,67,73,73,74,76,82,85,92,96,101,103,110,112,115,117,120,122,128,130,134,136,142,144,149,149 --arg in:i32:149=values:4,14,5,9,18,19,23,37,38,14,16,26,1,9,11,22,36,2,8,9,14,16,23,24,30,36,12,25,31,38,7,20,22,32,38,5,12,16,21,2,4,5,16,28,15,36,4,26,6,8,22,27,38,26,32,1,3,5,15,20,21,22,31,34,10,14,22,3,5,8,9,24,28,2,2,26,7,14,24,30,32,33,8,14,38,4,7,12,14,15,25,33,2,5,28,34,5,16,20,26,32,6,22,3,11,13,19,24,30,35,12,36,9,16,23,32,34,5,20,26,6,14,7,13,20,24,29,36,20,22,14,23,29,37,26,36,4,5,10,27,32,35,2,34,2,6,7,12,21 --arg i32:40 --arg in:i32:149=values:1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2 --arg inout:i32:40=const:100000 --arg out:i32:1
//! clean
//! defect 1: race note at raise
//! defect 2: race at ask2 and raise
extern "C" __global__ void sssp(const int* row, const int* col, int n, const int* weight, int* distance, int* rounds)
{
    __shared__ int changed[3];
    int t = threadIdx.x, round = 0;
    if (t < 3) changed[t] = 0;
    if (t == 0) distance[1] = 0;
    __syncthreads();
    while (true) {
        for (int v = t; v < n; v += blockDim.x) {
            int mine = atomicAdd(&distance[v], 0);
            if (mine == 100000) continue;
            for (int j = row[v]; j < row[v + 1]; ++j) {
                if (atomicMin(&distance[col[j]], mine + weight[j]) > mine + weight[j]) {
#if DEFECT
                    changed[round % 3] = 1; // <- raise
#else
                    atomicExch(&changed[round % 3], 1);
#endif
                }
            }
        }
#if DEFECT == 2
        if (changed[round % 3] && t == 63) { // <- ask2
            *rounds = -1;
        }
#endif
        __syncthreads();
        if (!changed[round % 3]) break;
        if (t == 0) changed[(round + 2) % 3] = 0;
        ++round;
    }
    if (t == 0) *rounds = round;
}
