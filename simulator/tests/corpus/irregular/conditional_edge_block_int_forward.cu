// Counts the edges whose ends meet a condition, in one word for all.
//@ run --entry conditional_edge --grid 13 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:i32:12=values:11,48,85,122,159,196,233,270,307,344,381,418 --arg inout:i32:1=zeros
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: race at clear and add
//! defect 3: out_of_bounds at column
//! defect 4: race at loose
//! defect 5: race at look and add
//! defect 6: race at add and total
//! defect 7: race at store
extern "C" __global__ void conditional_edge(const int* row, const int* col, int n, const int* data, int* count)
{
    __shared__ int sum;
    int self = blockIdx.x;
    int v = self;
#if DEFECT == 1
    if (v <= n) {
#else
    if (v < n) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        if (threadIdx.x == 0) sum = 0; // <- clear
#if DEFECT != 2
        __syncthreads();
#endif
#if DEFECT == 3
        for (int j = first + threadIdx.x; j <= last; j += blockDim.x) {
#else
        for (int j = first + threadIdx.x; j < last; j += blockDim.x) {
#endif
            int w = col[j]; // <- column
            if (v <= w && data[v] + data[w] > 0) {
#if DEFECT == 4
                sum += 1; // <- loose
#elif DEFECT == 5
                if (sum < 1000) { // <- look
                    atomicAdd(&sum, (int)1); // <- add
                }
#else
                atomicAdd(&sum, (int)1); // <- add
#endif
            }
        }
#if DEFECT != 6
        __syncthreads();
#endif
        if (threadIdx.x == 0) {
            int all = sum; // <- total
#if DEFECT == 7
            *count += all; // <- store
#else
            atomicAdd(count, all);
#endif
        }
    }
}
