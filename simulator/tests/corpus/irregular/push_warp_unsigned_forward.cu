// Each vertex gives its value to its neighbours.
//@ run --entry push --grid 7 --block 64 --arg in:i32:13=values:0,0,9,12,15,19,21,25,27,29,32,33,33 --arg in:i32:33=values:2,3,4,5,6,7,8,9,10,1,3,4,1,2,4,1,2,3,9,1,6,1,5,6,7,1,6,1,9,1,4,8,1 --arg i32:12 --arg in:u32:12=values:11,48,85,122,159,196,233,270,307,344,381,418 --arg inout:u32:12=values:11,48,85,122,159,196,233,270,307,344,381,418
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: out_of_bounds at column
//! defect 3: race at plain
//! defect 4: race at look and update
//! defect 5: race at store
extern "C" __global__ void push(const int* row, const int* col, int n, const unsigned* data, unsigned* out)
{
    int lane = threadIdx.x % 32, self = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int v = self;
#if DEFECT == 1
    if (v <= n) {
#else
    if (v < n) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        unsigned mine = data[v] * 2;
#if DEFECT == 2
        for (int j = first + lane; j <= last; j += 32) {
#else
        for (int j = first + lane; j < last; j += 32) {
#endif
            int w = col[j]; // <- column
#if DEFECT == 3
            out[w] = max(out[w], mine); // <- plain
#elif DEFECT == 4
            if (out[w] < mine) { // <- look
                atomicMax(&out[w], mine); // <- update
            }
#elif DEFECT == 5
            out[w] = mine; // <- store
#else
            atomicMax(&out[w], mine); // <- update
#endif
        }
    }
}
