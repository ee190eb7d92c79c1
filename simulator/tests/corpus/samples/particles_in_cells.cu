// Sorted particles: where a cell starts and ends, found by comparing with the left neighbour's cell.
//@ run --entry cells --grid 3 --block 32 --arg in:i32:90=values:0,0,0,1,1,2,2,2,2,4,4,5,5,5,6,6,7,7,7,7,7,8,9,9,10,10,11,11,12,12,12,12,12,12,13,13,14,14,14,15,15,16,17,17,17,18,19,19,20,20,20,20,21,21,22,22,23,23,23,24,24,25,25,25,26,26,26,26,27,27,27,28,28,28,28,28,29,29,29,29,29,30,30,30,30,30,31,31,31,31 --arg inout:i32:32=const:-1 --arg inout:i32:32=const:-1 --arg i32:90
//! clean
//! defect 1: race at start
//! defect 2: out_of_bounds at left
//! defect 3: race at own and look
//! defect 4: race at end
extern "C" __global__ void cells(const int* cell, int* starts, int* ends, int n)
{
    __shared__ int s[33];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, c = -1;
    if (i < n) {
        c = cell[i];
        s[t + 1] = c; // <- own
#if DEFECT == 2
        if (t == 0) s[0] = cell[i - 1]; // <- left
#else
        if (i > 0 && t == 0) s[0] = cell[i - 1];
#endif
    }
#if DEFECT != 3
    __syncthreads();
#endif
    if (i < n) {
#if DEFECT == 1
        starts[c] = i; // <- start
#else
        if (i == 0 || c != s[t]) { // <- look
            starts[c] = i;
            if (i > 0) ends[s[t]] = i;
        }
#endif
#if DEFECT == 4
        if (i >= n - 2) ends[c] = i + 1; // <- end
#else
        if (i == n - 1) ends[c] = i + 1;
#endif
    }
}
