// Looks like an early return before a barrier, is not: there is no barrier after it for anyone.
//@ run --entry early_exit --grid 2 --block 64 --arg in:i32:128=small_ints.npy --arg out:i32:100 --arg i32:100
// save: 1
// reference: early_exit

extern "C" __global__ void early_exit(const int* in, int* out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    __syncthreads();
    if (i >= n) return;
    if (t % 5 == 0) {
        out[i] = 0;
        return;
    }
    out[i] = s[63 - t] - in[i];
}
