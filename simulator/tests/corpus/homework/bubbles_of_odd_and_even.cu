// Odd-even transposition in global memory by one block, half as many threads as values.
//@ run --entry sort --grid 1 --block 40 --arg inout:i32:80=values:9,8,7,6,5,4,3,2,1,0,19,18,17,16,15,14,13,12,11,10,29,28,27,26,25,24,23,22,21,20,39,38,37,36,35,34,33,32,31,30,49,48,47,46,45,44,43,42,41,40,59,58,57,56,55,54,53,52,51,50,69,68,67,66,65,64,63,62,61,60,79,78,77,76,75,74,73,72,71,70 --arg i32:80
//! clean
//! defect 1: race at swap
//! defect 2: out_of_bounds at swap
//! defect 3: race at swap; --grid 2
//! defect 4: barrier_divergence at sync|early
extern "C" __global__ void sort(int* a, int n)
{
    for (int phase = 0; phase < n; ++phase) {
        int i = 2 * threadIdx.x + phase % 2;
#if DEFECT == 2
        if (i < n) {
#else
        if (i + 1 < n) {
#endif
            int left = a[i], right = a[i + 1]; // <- swap
            if (left > right) {
                a[i] = right; // <- swap
                a[i + 1] = left; // <- swap
            }
        }
#if DEFECT == 4
        else break; // <- early
#endif
#if DEFECT == 1
        __syncwarp();
#else
        __syncthreads(); // <- sync
#endif
    }
}
