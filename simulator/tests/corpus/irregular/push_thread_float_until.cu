// Each vertex gives its value to its neighbours.
//@ run --entry push --grid 2 --block 32 --arg in:i32:41=values:0,0,2,9,12,17,26,30,35,39,44,46,48,53,55,64,67,73,73,74,76,82,85,92,96,101,103,110,112,115,117,120,122,128,130,134,136,142,144,149,149 --arg in:i32:149=values:4,14,5,9,18,19,23,37,38,14,16,26,1,9,11,22,36,2,8,9,14,16,23,24,30,36,12,25,31,38,7,20,22,32,38,5,12,16,21,2,4,5,16,28,15,36,4,26,6,8,22,27,38,26,32,1,3,5,15,20,21,22,31,34,10,14,22,3,5,8,9,24,28,2,2,26,7,14,24,30,32,33,8,14,38,4,7,12,14,15,25,33,2,5,28,34,5,16,20,26,32,6,22,3,11,13,19,24,30,35,12,36,9,16,23,32,34,5,20,26,6,14,7,13,20,24,29,36,20,22,14,23,29,37,26,36,4,5,10,27,32,35,2,34,2,6,7,12,21 --arg i32:40 --arg in:f32:40=values:11,48,85,122,159,196,233,270,307,344,381,418,455,492,529,566,603,640,677,714,751,788,825,862,899,936,973,10,47,84,121,158,195,232,269,306,343,380,417,454 --arg inout:f32:40=values:11,48,85,122,159,196,233,270,307,344,381,418,455,492,529,566,603,640,677,714,751,788,825,862,899,936,973,10,47,84,121,158,195,232,269,306,343,380,417,454
//! clean
//! defect 1: out_of_bounds at rows
//! defect 2: out_of_bounds at column
//! defect 3: race at plain
//! defect 4: race at look and update
//! defect 5: race at store
extern "C" __global__ void push(const int* row, const int* col, int n, const float* data, float* out)
{
    int self = blockIdx.x * blockDim.x + threadIdx.x;
    int v = self;
#if DEFECT == 1
    if (v <= n) {
#else
    if (v < n) {
#endif
        int first = row[v], last = row[v + 1]; // <- rows
        float mine = data[v] * 2;
#if DEFECT == 2
        for (int j = first; j <= last; ++j) {
#else
        for (int j = first; j < last; ++j) {
#endif
            int w = col[j]; // <- column
            if (data[w] == data[v]) break;
#if DEFECT == 3
            out[w] += mine; // <- plain
#elif DEFECT == 4
            if (out[w] < mine) { // <- look
                atomicAdd(&out[w], mine); // <- update
            }
#elif DEFECT == 5
            out[w] = mine; // <- store
#else
            atomicAdd(&out[w], mine); // <- update
#endif
        }
    }
}
