// Each vertex with a greater neighbour goes to the worklist once.
//@ run --entry worklist --grid 3 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:f64:12=values:11,48,85,122,159,196,233,270,307,344,381,418 --arg out:i32:12 --arg inout:i32:1=zeros
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: race at clear and raise
//! defect 3: out_of_bounds at column
//! defect 4: race at loose
//! defect 5: race at raise and decide
//! defect 6: race at slot
//! defect 7: race at base and use
//! defect 8: race at all
extern "C" __global__ void worklist(const int* row, const int* col, int n, const double* data, int* list, int* size)
{
    __shared__ int greater, base;
    int self = blockIdx.x;
#if DEFECT == 1
    for (int v = self; v <= n; v += gridDim.x) {
#else
    for (int v = self; v < n; v += gridDim.x) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        if (threadIdx.x == 0) greater = 0; // <- clear
#if DEFECT != 2
        __syncthreads();
#endif
#if DEFECT == 3
        for (int j = first + threadIdx.x; j <= last; j += blockDim.x) {
#else
        for (int j = first + threadIdx.x; j < last; j += blockDim.x) {
#endif
            int w = col[j]; // <- column
#if DEFECT == 4
            if (data[w] > data[v]) greater += 1; // <- loose
#else
            if (data[w] > data[v]) atomicAdd(&greater, 1); // <- raise
#endif
        }
#if DEFECT != 5
        __syncthreads();
#endif
        if (threadIdx.x == 0) {
            base = -1; // <- base
            if (greater > 0) { // <- decide
#if DEFECT == 6
                base = (*size)++; // <- slot
#else
                base = atomicAdd(size, 1); // <- base
#endif
            }
        }
#if DEFECT != 7
        __syncthreads();
#endif
        int at = base; // <- use
#if DEFECT == 8
        if (at >= 0) list[at] = v + threadIdx.x; // <- all
#else
        if (threadIdx.x == 33 && at >= 0) list[at] = v;
#endif
    }
}
