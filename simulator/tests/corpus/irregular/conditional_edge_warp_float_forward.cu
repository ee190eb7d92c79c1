// Counts the edges whose ends meet a condition, in one word for all.
//@ run --entry conditional_edge --grid 7 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:f32:12=values:11,48,85,122,159,196,233,270,307,344,381,418 --arg inout:f32:1=zeros
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: out_of_bounds at column
//! defect 3: race at loose
//! defect 4: race at look and add
extern "C" __global__ void conditional_edge(const int* row, const int* col, int n, const float* data, float* count)
{
    int lane = threadIdx.x % 32, self = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int v = self;
#if DEFECT == 1
    if (v <= n) {
#else
    if (v < n) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
#if DEFECT == 2
        for (int j = first + lane; j <= last; j += 32) {
#else
        for (int j = first + lane; j < last; j += 32) {
#endif
            int w = col[j]; // <- column
            if (v <= w && data[v] + data[w] > 0) {
#if DEFECT == 3
                count[0] += 1; // <- loose
#elif DEFECT == 4
                if (count[0] < 1000) { // <- look
                    atomicAdd(&count[0], (float)1); // <- add
                }
#else
                atomicAdd(&count[0], (float)1); // <- add
#endif
            }
        }
    }
}
