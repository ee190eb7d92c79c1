// The greatest (or the sum of the) values that beat their own vertex', in one word for all.
//@ run --entry conditional_vertex --grid 2 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:u64:12=values:11,48,85,122,159,196,233,270,307,344,381,418 --arg inout:u64:1=zeros
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: out_of_bounds at column
//! defect 3: race at part and gather
//! defect 4: race at plain
//! defect 5: race at look and update
//! defect 6: race at store
//! defect 7: race at part and gather
extern "C" __global__ void conditional_vertex(const int* row, const int* col, int n, const unsigned long long* data, unsigned long long* best)
{
    __shared__ unsigned long long part[64];
    int lane = threadIdx.x % 32, self = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#if DEFECT == 1
    for (int v = self; v <= n; v += gridDim.x * blockDim.x / 32) {
#else
    for (int v = self; v < n; v += gridDim.x * blockDim.x / 32) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        unsigned long long most = 0;
#if DEFECT == 2
        for (int j = first + lane; j <= last; j += 32) {
#else
        for (int j = first + lane; j < last; j += 32) {
#endif
            int w = col[j]; // <- column
            most = max(most, data[w]);
        }
        part[threadIdx.x] = most; // <- part
#if DEFECT != 3
        __syncwarp();
#endif
        if (lane == 0) {
            for (int k = 0; k < 32; ++k) {
                unsigned long long theirs = part[threadIdx.x + k]; // <- gather
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
        __syncwarp();
#endif
    }
}
