// Breadth-first search of one block, level by level, from one worklist to the other.
//@ run --entry bfs --grid 1 --block 64 --arg in:i32:41=values:0,0,2,9,12,17,26,30,35,39,44,46,48,53,55,64,67,73,73,74,76,82,85,92,96,101,103,110,112,115,117,120,122,128,130,134,136,142,144,149,149 --arg in:i32:149=values:4,14,5,9,18,19,23,37,38,14,16,26,1,9,11,22,36,2,8,9,14,16,23,24,30,36,12,25,31,38,7,20,22,32,38,5,12,16,21,2,4,5,16,28,15,36,4,26,6,8,22,27,38,26,32,1,3,5,15,20,21,22,31,34,10,14,22,3,5,8,9,24,28,2,2,26,7,14,24,30,32,33,8,14,38,4,7,12,14,15,25,33,2,5,28,34,5,16,20,26,32,6,22,3,11,13,19,24,30,35,12,36,9,16,23,32,34,5,20,26,6,14,7,13,20,24,29,36,20,22,14,23,29,37,26,36,4,5,10,27,32,35,2,34,2,6,7,12,21 --arg i32:40 --arg inout:i32:40=zeros --arg inout:i32:80=zeros
//! clean
//! defect 1: race at check and set
//! defect 2: race at clear and count; also=barrier_divergence
//! defect 3: race at clear and slot
//! defect 4: race at look and swap
//! defect 5: race at start and swap
extern "C" __global__ void bfs(const int* row, const int* col, int n, int* level, int* lists)
{
    __shared__ int size[2];
    int t = threadIdx.x;
    for (int v = t; v < n; v += blockDim.x) {
        level[v] = v == 5 ? 0 : -1; // <- start
    }
    if (t == 0) {
        lists[0] = 5;
        size[0] = 1;
        size[1] = 0;
    }
#if DEFECT != 5
    __syncthreads();
#endif
    int now = 0, count = 1;
    for (int depth = 1; count > 0; ++depth) {
        for (int k = t; k < count; k += blockDim.x) {
            int v = lists[now * n + k];
            for (int j = row[v]; j < row[v + 1]; ++j) {
                int w = col[j];
#if DEFECT == 1
                if (level[w] < 0) { // <- check
                    level[w] = depth; // <- set
#else
#if DEFECT == 4
                if (level[w] >= 0) continue; // <- look
#endif
                if (atomicCAS(&level[w], -1, depth) == -1) { // <- swap
#endif
                    int at = atomicAdd(&size[1 - now], 1); // <- slot
                    lists[(1 - now) * n + at] = w;
                }
            }
        }
#if DEFECT != 2
        __syncthreads();
#endif
        if (t == 0) {
            size[now] = 0; // <- clear
        }
#if DEFECT != 3
        __syncthreads();
#endif
        now = 1 - now;
        count = size[now]; // <- count
    }
}
//! label 2: named no consequence; who sees the cleared count leaves the loop, and the barrier, alone
