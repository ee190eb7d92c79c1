// Neighbouring threads set bytes of one word: each its own, which is right; a thread that looks at the whole word must wait.
//@ run --entry bytes --grid 1 --block 64 --arg out:u32:16
//! clean
//! defect 1: race at set and look
extern "C" __global__ void bytes(unsigned* out)
{
    __shared__ unsigned char flag[64];
    int t = threadIdx.x;
    flag[63 - t] = t; // <- set
#if !DEFECT
    __syncthreads();
#endif
    if (t < 16) out[t] = ((unsigned*)flag)[t]; // <- look
}
