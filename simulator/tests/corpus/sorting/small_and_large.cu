// One step of quicksort for a block: small values fill the output from the left, large ones from the right, by two counters.
//@ run --entry part --grid 1 --block 64 --arg in:i32:64=values:9,3,60,1,33,7,52,14,28,2,41,19,63,5,38,22,11,47,30,0,55,17,44,6,26,59,8,36,13,50,21,4,61,32,16,48,10,39,25,57,12,45,29,62,18,34,54,20,43,15,58,24,49,35,27,46,31,53,40,23,51,37,56,42 --arg out:i32:64 --arg out:i32:1
//! clean
//! defect 1: race at zero and left|right
//! defect 2: out_of_bounds at large
//! defect 3: race at left and split
//! defect 4: race at small|large
extern "C" __global__ void part(const int* in, int* out, int* split)
{
    __shared__ int left, right;
    int t = threadIdx.x, v = in[t], pivot = in[31];
    if (t == 0) {
        left = 0; // <- zero
        right = 0; // <- zero
    }
#if DEFECT != 1
    __syncthreads();
#endif
    if (v < pivot) {
        int at = atomicAdd(&left, 1); // <- left
#if DEFECT == 4
        out[at & ~1] = v; // <- small
#else
        out[at] = v; // <- small
#endif
    } else {
        int at = atomicAdd(&right, 1); // <- right
#if DEFECT == 2
        out[64 - at] = v; // <- large
#else
        out[63 - at] = v; // <- large
#endif
    }
#if DEFECT != 3
    __syncthreads();
#endif
    if (t == 40) *split = left; // <- split
}
