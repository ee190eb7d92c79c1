// A median of seven with a sorting network in a local array that is indexed by data, ahead of a scan of the window; arrays in registers become local memory then.
//@ run --entry median --grid 2 --block 50 --arg in:i32:106=iota --arg out:i32:100 --arg out:i32:100
//! clean
//! defect 1: out_of_bounds at pick
//! defect 2: uninitialized_read at pick|result|order
//! defect 3: out_of_bounds at window
__device__ __forceinline__ void order(int& a, int& b)
{
    int low = min(a, b), high = max(a, b);
    a = low;
    b = high;
}
extern "C" __global__ void median(const int* in, int* medians, int* picks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int w[7];
#if DEFECT == 2
    for (int k = 0; k < 6; ++k) w[k] = in[i + k] * 37 % 101; // <- window
#elif DEFECT == 3
    for (int k = 0; k < 7; ++k) w[k] = in[i + k + 1] * 37 % 101; // <- window
#else
    for (int k = 0; k < 7; ++k) w[k] = in[i + k] * 37 % 101; // <- window
#endif
#if DEFECT == 1
    picks[i] = w[in[i] % 8]; // <- pick
#else
    picks[i] = w[in[i] % 7]; // <- pick
#endif
    for (int pass = 0; pass < 7; ++pass)
        for (int k = pass & 1; k + 1 < 7; k += 2) order(w[k], w[k + 1]); // <- order
    medians[i] = w[3]; // <- result
}
