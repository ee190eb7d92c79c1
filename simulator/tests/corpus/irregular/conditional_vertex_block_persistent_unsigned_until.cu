// The greatest (or the sum of the) values that beat their own vertex', in one word for all.
//@ run --entry conditional_vertex --grid 3 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:u32:12=values:11,48,85,122,159,196,233,270,307,344,381,418 --arg inout:u32:1=zeros
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: out_of_bounds at column
//! defect 3: race at part and gather
//! defect 4: race at plain
//! defect 5: race at look and update
//! defect 6: race at store
//! defect 7: race at part and gather
extern "C" __global__ void conditional_vertex(const int* row, const int* col, int n, const unsigned* data, unsigned* best)
{
    __shared__ unsigned part[64];
    int self = blockIdx.x;
#if DEFECT == 1
    for (int v = self; v <= n; v += gridDim.x) {
#else
    for (int v = self; v < n; v += gridDim.x) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        unsigned most = 0;
#if DEFECT == 2
        for (int j = first + threadIdx.x; j <= last; j += blockDim.x) {
#else
        for (int j = first + threadIdx.x; j < last; j += blockDim.x) {
#endif
            int w = col[j]; // <- column
            if (data[w] == data[v]) break;
            most = max(most, data[w]);
        }
        part[threadIdx.x] = most; // <- part
#if DEFECT != 3
        __syncthreads();
#endif
        if (threadIdx.x == 0) {
            for (int k = 0; k < blockDim.x; ++k) {
                unsigned theirs = part[k]; // <- gather
                most = max(most, theirs);
            }
            if (most > data[v]) {
#if DEFECT == 4
                best[0] = max(best[0], most); // <- plain
#elif DEFECT == 5
                if (best[0] < most) { // <- look
                    atomicMax(&best[0], most); // <- update
                }
#elif DEFECT == 6
                best[0] = most; // <- store
#else
                atomicMax(&best[0], most); // <- update
#endif
            }
        }
#if DEFECT != 7
        __syncthreads();
#endif
    }
}
