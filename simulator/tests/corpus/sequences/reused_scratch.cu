// One shared array for two phases: sums first, then a permutation; the second overwrites what the first is still read from.
//@ run --entry phases --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: race at sum and again
extern "C" __global__ void phases(const int* in, int* out)
{
    __shared__ int scratch[96];
    int t = threadIdx.x;
    scratch[t] = in[t];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 96; k += 8) {
        sum += scratch[(t + k) % 96]; // <- sum
    }
#if !DEFECT
    __syncthreads();
#endif
    scratch[(t * 5) % 96] = sum; // <- again
    __syncthreads();
    out[t] = scratch[t];
}
