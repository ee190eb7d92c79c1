// Vertices of few edges are peeled off: their neighbours' degrees fall by atomic subtraction, who falls to the bound joins the list.
//@ run --entry peel --grid 1 --block 64 --arg in:i32:41=values:0,0,2,9,12,17,26,30,35,39,44,46,48,53,55,64,67,73,73,74,76,82,85,92,96,101,103,110,112,115,117,120,122,128,130,134,136,142,144,149,149 --arg in:i32:149=values:4,14,5,9,18,19,23,37,38,14,16,26,1,9,11,22,36,2,8,9,14,16,23,24,30,36,12,25,31,38,7,20,22,32,38,5,12,16,21,2,4,5,16,28,15,36,4,26,6,8,22,27,38,26,32,1,3,5,15,20,21,22,31,34,10,14,22,3,5,8,9,24,28,2,2,26,7,14,24,30,32,33,8,14,38,4,7,12,14,15,25,33,2,5,28,34,5,16,20,26,32,6,22,3,11,13,19,24,30,35,12,36,9,16,23,32,34,5,20,26,6,14,7,13,20,24,29,36,20,22,14,23,29,37,26,36,4,5,10,27,32,35,2,34,2,6,7,12,21 --arg i32:40 --arg inout:i32:40=zeros --arg out:i32:40
//! clean
//! defect 1: race at more and ask; also=barrier_divergence
//! defect 2: race at less
//! defect 3: race at look and less
//! defect 4: race at more and ask; also=barrier_divergence
//! defect 5: race at more and ask; also=barrier_divergence
extern "C" __global__ void peel(const int* row, const int* col, int n, int* degree, int* list)
{
    __shared__ int size;
    int t = threadIdx.x;
    if (t == 0) size = 0;
    __syncthreads();
    if (t < n) {
        degree[t] = row[t + 1] - row[t];
        if (row[t + 1] - row[t] < 3) {
            int at = atomicAdd(&size, 1); // <- more
            list[at] = t;
        }
    }
#if DEFECT != 1
    __syncthreads();
#endif
    int done = 0;
    while (true) {
        int count = size; // <- ask
#if DEFECT != 4
        __syncthreads();
#endif
        if (done == count) break;
        for (int k = done + t; k < count; k += blockDim.x) {
            int v = list[k];
            for (int j = row[v]; j < row[v + 1]; ++j) {
                int w = col[j];
#if DEFECT == 2
                int old = degree[w]--; // <- less
#else
#if DEFECT == 3
                if (degree[w] < 3) continue; // <- look
#endif
                int old = atomicSub(&degree[w], 1); // <- less
#endif
                if (old == 3) {
                    int at = atomicAdd(&size, 1); // <- more
                    if (at < n) list[at] = w;
                }
            }
        }
        done = count;
#if DEFECT != 5
        __syncthreads();
#endif
    }
}
