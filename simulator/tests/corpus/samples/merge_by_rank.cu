// Merges two sorted halves: each element finds its rank in the other half by binary search. Equal keys of both halves need the two different comparisons.
//@ run --entry merge --grid 1 --block 32 --arg in:i32:64=values:1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63,1,2,3,6,8,10,12,14,16,18,19,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60 --arg out:i32:64
//! clean
//! defect 1: race at left and right
//! defect 2: out_of_bounds at probe
template <bool INCLUSIVE> __device__ int rank_in(int key, const int* data, int n)
{
    int low = 0, high = n;
#if DEFECT == 2
    while (low <= high) {
#else
    while (low < high) {
#endif
        int middle = (low + high) / 2, v = data[middle]; // <- probe
        if (INCLUSIVE ? v <= key : v < key) low = middle + 1;
#if DEFECT == 2
        else high = middle - 1;
#else
        else high = middle;
#endif
    }
    return low;
}
extern "C" __global__ void merge(const int* in, int* out)
{
    __shared__ int s[64];
    __shared__ int merged[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    __syncthreads();
    int a = s[t], b = s[t + 32];
    int at = t + rank_in<false>(a, s + 32, 32);
#if DEFECT == 1
    int bt = t + rank_in<false>(b, s, 32);
#else
    int bt = t + rank_in<true>(b, s, 32);
#endif
    merged[at] = a * 2; // <- left
    merged[bt] = b * 2 + 1; // <- right
    __syncthreads();
    out[t] = merged[t];
    out[t + 32] = merged[t + 32];
}
