// The greatest (or the sum of the) values that beat their own vertex', in one word for all.
//@ run --entry conditional_vertex --grid 7 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:i32:12=values:11,48,85,122,159,196,233,270,307,344,381,418 --arg inout:i32:1=zeros
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: out_of_bounds at column
//! defect 3: race at plain
//! defect 4: race at look and update
//! defect 5: race at store
extern "C" __global__ void conditional_vertex(const int* row, const int* col, int n, const int* data, int* best)
{
    int lane = threadIdx.x % 32, self = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int v = self;
#if DEFECT == 1
    if (v <= n) {
#else
    if (v < n) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        int most = 0;
#if DEFECT == 2
        for (int j = first + lane; j <= last; j += 32) {
#else
        for (int j = first + lane; j < last; j += 32) {
#endif
            int w = col[j]; // <- column
            most = max(most, data[w]);
        }
        for (int d = 16; d > 0; d /= 2) {
            int theirs = __shfl_xor_sync(0xffffffff, most, d);
            most = max(most, theirs);
        }
        if (lane == 0) {
            if (most > data[v]) {
#if DEFECT == 3
                best[0] = max(best[0], most); // <- plain
#elif DEFECT == 4
                if (best[0] < most) { // <- look
                    atomicMax(&best[0], most); // <- update
                }
#elif DEFECT == 5
                best[0] = most; // <- store
#else
                atomicMax(&best[0], most); // <- update
#endif
            }
        }
    }
}
