// A shared counter is used for two rounds. The reset needs a barrier on both sides.
//@ run --entry rounds --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:2
//! clean
//! defect 1: race at reset and add
//! defect 2: race at read and reset
extern "C" __global__ void rounds(const int* in, int* out)
{
    __shared__ int n;
    int t = threadIdx.x;
    for (int r = 0; r < 2; ++r) {
        if (t == 40) {
            n = 0; // <- reset
        }
#if DEFECT != 1
        __syncthreads();
#endif
        if ((in[t] >> r) & 1) {
            atomicAdd(&n, 1); // <- add
        }
        __syncthreads();
        if (t == 0) {
            out[r] = n; // <- read
        }
#if DEFECT != 2
        __syncthreads();
#endif
    }
}
