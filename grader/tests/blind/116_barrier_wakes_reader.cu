// One warp does all the work between barriers, the others only wait; partial last warp, block of 72.
//@ run --entry waiters --grid 2 --block 72 --arg in:i32:144=small_ints.npy --arg out:i32:144
// save: 1
// reference: waiters

extern "C" __global__ void waiters(const int* in, int* out)
{
    __shared__ int s[72];
    __shared__ int sum;
    int t = threadIdx.x, i = blockIdx.x * 72 + t;
    s[t] = in[i];
    __syncthreads();
    if (t >= 64) {
        if (t == 71) {
            int total = 0;
            for (int k = 0; k < 72; ++k) total += s[k];
            sum = total;
        }
    }
    __syncthreads();
    out[i] = s[t] * 1000 + sum;
}
