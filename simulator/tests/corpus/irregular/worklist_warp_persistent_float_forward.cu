// Each vertex with a greater neighbour goes to the worklist once.
//@ run --entry worklist --grid 2 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:f32:12=values:11,48,85,122,159,196,233,270,307,344,381,418 --arg out:i32:12 --arg inout:i32:1=zeros
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: out_of_bounds at column
//! defect 3: race at slot
//! defect 4: race at peek and take
//! defect 5: race at entry
extern "C" __global__ void worklist(const int* row, const int* col, int n, const float* data, int* list, int* size)
{
    int lane = threadIdx.x % 32, self = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#if DEFECT == 1
    for (int v = self; v <= n; v += gridDim.x * blockDim.x / 32) {
#else
    for (int v = self; v < n; v += gridDim.x * blockDim.x / 32) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        bool some = false;
#if DEFECT == 2
        for (int j = first + lane; j <= last; j += 32) {
#else
        for (int j = first + lane; j < last; j += 32) {
#endif
            int w = col[j]; // <- column
            if (data[w] > data[v]) some = true;
        }
        unsigned votes = __ballot_sync(0xffffffff, some);
        if (lane == 0 && votes != 0) {
#if DEFECT == 3
            int at = (*size)++; // <- slot
#elif DEFECT == 4
            int at = *size; // <- peek
            atomicAdd(size, 1); // <- take
#else
            int at = atomicAdd(size, 1);
#endif
#if DEFECT == 5
            list[at / 2] = v; // <- entry
#else
            list[at] = v;
#endif
        }
    }
}
