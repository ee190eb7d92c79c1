// The old idiom: the last steps of a tree in one warp with volatile instead of __syncwarp.
//@ run --entry total --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:1
//! clean
//! defect 1: race at step
extern "C" __global__ void total(const int* in, int* out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        int v = s[t];
        for (int d = 32; d > 0; d /= 2) {
#if DEFECT
            s[t] = v = v + s[t + d]; // <- step
#else
            v += s[t + d];
            __syncwarp();
            s[t] = v;
            __syncwarp();
#endif
        }
        if (t == 0) *out = v;
    }
}
