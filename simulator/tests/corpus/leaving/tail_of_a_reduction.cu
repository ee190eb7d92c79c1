// The last steps of a sum over a block are the first half warp's alone; the others are done after the block's barrier, and go. The mask names who stays.
//@ run --entry sum --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:1
//! clean
//! defect 1: invalid_mask warning at meet
//! defect 2: race at add and add
extern "C" __global__ void sum(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 16) {
        int v = s[t] + s[t + 16] + s[t + 32] + s[t + 48];
        s[t] = v;
        for (int d = 8; d > 0; d /= 2) {
#if DEFECT == 1
            __syncwarp(); // <- meet
#elif DEFECT == 2
            asm volatile("" ::: "memory");
#else
            __syncwarp(0xffff);
#endif
            if (t < d) s[t] += s[t + d]; // <- add
        }
        if (t == 0) out[0] = s[0];
    }
}
