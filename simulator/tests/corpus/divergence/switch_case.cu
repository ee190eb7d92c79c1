// One barrier in each of three cases of a switch.
//@ run --entry roles --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: barrier_divergence at zero|one|two
extern "C" __global__ void roles(const int* in, int* out)
{
    __shared__ int s[96];
    int t = threadIdx.x;
#if DEFECT
    switch (t / 32) {
    case 0:
        s[t] = in[t];
        __syncthreads(); // <- zero
        break;
    case 1:
        s[t] = -in[t];
        __syncthreads(); // <- one
        break;
    default:
        s[t] = 0;
        __syncthreads(); // <- two
        break;
    }
#else
    switch (t / 32) {
    case 0: s[t] = in[t]; break;
    case 1: s[t] = -in[t]; break;
    default: s[t] = 0; break;
    }
    __syncthreads();
#endif
    out[t] = s[95 - t];
}
