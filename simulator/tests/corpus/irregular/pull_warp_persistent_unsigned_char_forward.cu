// Each vertex takes the greatest value of its neighbours.
//@ run --entry pull --grid 2 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:u8:12=values:11,48,85,122,159,196,233,20,57,94,131,168 --arg inout:u8:12=values:11,48,85,122,159,196,233,20,57,94,131,168
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: out_of_bounds at column
//! defect 3: race at look and put
//! defect 4: race at part and gather
//! defect 5: race at part and gather
//! defect 6: race at put and other
extern "C" __global__ void pull(const int* row, const int* col, int n, const unsigned char* data, unsigned char* out)
{
    __shared__ unsigned char part[64];
    int lane = threadIdx.x % 32, self = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#if DEFECT == 1
    for (int v = self; v <= n; v += gridDim.x * blockDim.x / 32) {
#else
    for (int v = self; v < n; v += gridDim.x * blockDim.x / 32) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        unsigned char most = data[v];
#if DEFECT == 2
        for (int j = first + lane; j <= last; j += 32) {
#else
        for (int j = first + lane; j < last; j += 32) {
#endif
            int w = col[j]; // <- column
#if DEFECT == 3
            unsigned char theirs = out[w]; // <- look
#else
            unsigned char theirs = data[w];
#endif
            most = max(most, theirs);
        }
        part[threadIdx.x] = most; // <- part
#if DEFECT != 4
        __syncwarp();
#endif
        if (lane == 0) {
            for (int k = 0; k < 32; ++k) {
                unsigned char theirs = part[threadIdx.x + k]; // <- gather
                most = max(most, theirs);
            }
            out[v] = most; // <- put
        }
#if DEFECT == 6
        if (threadIdx.x % 32 == 7) out[v] = most + 1; // <- other
#endif
#if DEFECT != 5
        __syncwarp();
#endif
    }
}
//! label 6: the other store stood behind the barrier at the end, which orders it; it stands before it now
