// As many rounds as there are lanes; the __syncwarp is left out in the last of them only.
//@ run --entry hand_down --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: race at put and take
extern "C" __global__ void hand_down(const int* in, int* out)
{
    __shared__ int s[33];
    int t = threadIdx.x, v = in[t];
    for (int k = 0; k < 5; ++k) {
        s[t] = v; // <- put
#if DEFECT
        if (k != 4) __syncwarp();
#else
        __syncwarp();
#endif
        v += s[t ^ 1 << k]; // <- take
        __syncwarp();
    }
    out[t] = v;
}
