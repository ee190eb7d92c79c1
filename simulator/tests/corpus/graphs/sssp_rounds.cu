// Shortest paths by rounds over all vertices until nothing changes; distances by atomic minimum.
//@ run --entry sssp --grid 1 --block 64 --arg in:i32:41=values:0,0,2,9,12,17,26,30,35,39,44,46,48,53,55,64,67,73,73,74,76,82,85,92,96,101,103,110,112,115,117,120,122,128,130,134,136,142,144,149,149 --arg in:i32:149=values:4,14,5,9,18,19,23,37,38,14,16,26,1,9,11,22,36,2,8,9,14,16,23,24,30,36,12,25,31,38,7,20,22,32,38,5,12,16,21,2,4,5,16,28,15,36,4,26,6,8,22,27,38,26,32,1,3,5,15,20,21,22,31,34,10,14,22,3,5,8,9,24,28,2,2,26,7,14,24,30,32,33,8,14,38,4,7,12,14,15,25,33,2,5,28,34,5,16,20,26,32,6,22,3,11,13,19,24,30,35,12,36,9,16,23,32,34,5,20,26,6,14,7,13,20,24,29,36,20,22,14,23,29,37,26,36,4,5,10,27,32,35,2,34,2,6,7,12,21 --arg i32:40 --arg in:i32:149=values:1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2,9,7,5,3,1,8,6,4,2 --arg inout:i32:40=const:100000
//! clean
//! defect 1: race at clear and ask; also=barrier_divergence
//! defect 2: race at clear and raise
//! defect 3: race at raise and ask; also=barrier_divergence,deadlock
//! defect 4: race at look and lower
//! defect 5: race at store
//! defect 6: race at peek and lower
extern "C" __global__ void sssp(const int* row, const int* col, int n, const int* weight, int* distance)
{
    __shared__ int changed;
    int t = threadIdx.x;
    if (t == 0) distance[1] = 0;
    do {
#if DEFECT != 1
        __syncthreads();
#endif
        if (t == 0) {
            changed = 0; // <- clear
        }
#if DEFECT != 2
        __syncthreads();
#endif
        for (int v = t; v < n; v += blockDim.x) {
#if DEFECT == 4
            int mine = distance[v]; // <- look
#else
            int mine = atomicAdd(&distance[v], 0);
#endif
            if (mine == 100000) continue;
            for (int j = row[v]; j < row[v + 1]; ++j) {
                int to = mine + weight[j];
                int* at = &distance[col[j]];
#if DEFECT == 5
                int old = atomicAdd(at, 0);
                if (old > to) {
                    *at = to; // <- store
                }
#else
#if DEFECT == 6
                if (*at <= to) continue; // <- peek
#endif
                int old = atomicMin(at, to); // <- lower
#endif
                if (old > to) {
                    atomicExch(&changed, 1); // <- raise
                }
            }
        }
#if DEFECT != 3
        __syncthreads();
#endif
    } while (changed); // <- ask
}
//! label 3: named one consequence only; where the thread that clears the word has left the loop, the others go round forever
