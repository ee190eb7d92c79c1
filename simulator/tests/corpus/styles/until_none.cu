// Sorting by neighbours until none has moved: asked of all threads by the barrier itself, or by a flag that lacks one.
//@ run --entry settle --grid 1 --block 64 --arg inout:i32:64=iota
//! clean
//! defect 1: race at clear and ask; also=barrier_divergence
extern "C" __global__ void settle(int* data)
{
    __shared__ int s[64];
    __shared__ int moved;
    int t = threadIdx.x;
    s[t] = data[t] * 7 % 64;
    __syncthreads();
    bool again = true;
    while (again) {
#if DEFECT
        if (t == 0) moved = 0; // <- clear
        __syncthreads();
#endif
        bool mine = false;
        for (int odd = 0; odd < 2; ++odd) {
            int a = 2 * t + odd;
            if (a + 1 < 64) {
                int u = s[a], v = s[a + 1];
                if (u > v) {
                    s[a] = v;
                    s[a + 1] = u;
                    mine = true;
                }
            }
            __syncthreads();
        }
#if DEFECT
        if (mine) atomicExch(&moved, 1);
        __syncthreads();
        again = moved; // <- ask
#else
        again = __syncthreads_or(mine);
#endif
    }
    data[t] = s[t];
}
