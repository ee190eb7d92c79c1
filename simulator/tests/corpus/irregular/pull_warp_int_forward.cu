// Each vertex takes the greatest value of its neighbours.
//@ run --entry pull --grid 7 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:i32:12=values:11,48,85,122,159,196,233,270,307,344,381,418 --arg inout:i32:12=values:11,48,85,122,159,196,233,270,307,344,381,418
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: out_of_bounds at column
//! defect 3: race at look and put
//! defect 4: race at put and other
extern "C" __global__ void pull(const int* row, const int* col, int n, const int* data, int* out)
{
    int lane = threadIdx.x % 32, self = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int v = self;
#if DEFECT == 1
    if (v <= n) {
#else
    if (v < n) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        int most = data[v];
#if DEFECT == 2
        for (int j = first + lane; j <= last; j += 32) {
#else
        for (int j = first + lane; j < last; j += 32) {
#endif
            int w = col[j]; // <- column
#if DEFECT == 3
            int theirs = out[w]; // <- look
#else
            int theirs = data[w];
#endif
            most = max(most, theirs);
        }
        for (int d = 16; d > 0; d /= 2) {
            int theirs = __shfl_xor_sync(0xffffffff, most, d);
            most = max(most, theirs);
        }
        if (lane == 0) {
            out[v] = most; // <- put
        }
#if DEFECT == 4
        if (threadIdx.x % 32 == 7) out[v] = most + 1; // <- other
#endif
    }
}
