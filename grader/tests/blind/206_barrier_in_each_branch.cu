// A barrier in each branch of a divergent if: two barriers, not one.
//@ run --entry each_branch --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// expect: barrier_divergence error @ then|else

extern "C" __global__ void each_branch(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t % 2) {
        s[t] = in[t];
        __syncthreads(); // <- then
        out[t] = s[t] + 1;
    } else {
        s[t] = -in[t];
        __syncthreads(); // <- else
        out[t] = s[t] - 1;
    }
}
