// Each vertex takes the greatest value of its neighbours.
//@ run --entry pull --grid 13 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:i16:12=values:11,48,85,122,159,196,233,270,307,344,381,418 --arg inout:i16:12=values:11,48,85,122,159,196,233,270,307,344,381,418
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: out_of_bounds at column
//! defect 3: race at look and put
//! defect 4: race at part and gather
//! defect 5: race at put and other
extern "C" __global__ void pull(const int* row, const int* col, int n, const short* data, short* out)
{
    __shared__ short part[64];
    int self = blockIdx.x;
    int v = self;
#if DEFECT == 1
    if (v <= n) {
#else
    if (v < n) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        short most = data[v];
#if DEFECT == 2
        for (int j = first + threadIdx.x; j <= last; j += blockDim.x) {
#else
        for (int j = first + threadIdx.x; j < last; j += blockDim.x) {
#endif
            int w = col[j]; // <- column
#if DEFECT == 3
            short theirs = out[w]; // <- look
#else
            short theirs = data[w];
#endif
            most = max(most, theirs);
        }
        part[threadIdx.x] = most; // <- part
#if DEFECT != 4
        __syncthreads();
#endif
        if (threadIdx.x == 0) {
            for (int k = 0; k < blockDim.x; ++k) {
                short theirs = part[k]; // <- gather
                most = max(most, theirs);
            }
            out[v] = most; // <- put
        }
#if DEFECT == 5
        if (threadIdx.x % 32 == 7) out[v] = most + 1; // <- other
#endif
    }
}
