// A loop over more data than threads with a barrier in it: all must go round as often.
//@ run --entry rounds --grid 1 --block 64 --arg in:i32:150=iota --arg out:i32:150 --arg i32:150
//! clean
//! defect 1: barrier_divergence at meet|done; also=race
extern "C" __global__ void rounds(const int* in, int* out, int n)
{
    __shared__ int s[64];
#if DEFECT
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#else
    for (int i = threadIdx.x; i - int(threadIdx.x) < n; i += blockDim.x) {
#endif
        if (i < n) s[threadIdx.x] = in[i];
        __syncthreads(); // <- meet
        int from = (threadIdx.x + 1) % min(64, n - i / 64 * 64);
        int v = i < n ? s[from] : 0;
        __syncthreads(); // <- done
        if (i < n) out[i] = v;
    }
}
//! label 1: was a warning; who has done with the loop runs on past its barriers, if only to the end of the kernel
