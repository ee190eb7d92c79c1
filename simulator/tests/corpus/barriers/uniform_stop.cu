// One thread decides for all whether to go on; the decision must not be overwritten while others still read it.
//@ run --entry halve --grid 1 --block 64 --arg inout:i32:64=const:9 --arg out:i32:1
//! clean
//! defect 1: race at decide and obey
//! defect 2: race at decide and obey; also=barrier_divergence
extern "C" __global__ void halve(int* a, int* rounds)
{
    __shared__ int more;
    int t = threadIdx.x, n = 0;
    while (true) {
        if (t == 0) {
            more = a[0] > 1; // <- decide
        }
#if DEFECT != 1
        __syncthreads();
#endif
        int go = more; // <- obey
#if DEFECT != 2
        __syncthreads();
#endif
        if (!go || n == 8) break;
        a[t] /= 2;
        ++n;
    }
    if (t == 0) *rounds = n;
}
//! label 2: named no consequence; threads that read different decisions also part at the barriers
