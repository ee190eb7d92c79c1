// Barriers under conditions, in branches and in loops, all of them the same for every thread of a block.
//@ run --entry uniform_condition --grid 4 --block 64 --arg in:i32:256=small_ints.npy --arg out:i32:256
//@ run --arg i32:3
// save: 1
// reference: uniform_condition

extern "C" __global__ void uniform_condition(const int* in, int* out, int rounds)
{
    __shared__ int s[64];
    __shared__ int trips;
    int t = threadIdx.x, i = blockIdx.x * 64 + t, v = in[i];
    if (blockIdx.x == 3) {
        out[i] = -1;
        return;
    }
    if (t == 17) trips = rounds + blockIdx.x;
    __syncthreads();
    for (int k = 0; k < trips; ++k) {
        s[t] = v;
        __syncthreads();
        v = s[(t + 1) % 64];
        __syncthreads();
    }
    if (blockIdx.x % 2) {
        s[t] = v;
        __syncthreads();
        v += s[63 - t];
    } else {
        s[63 - t] = v;
        __syncthreads();
        v -= s[t ^ 3];
    }
    out[i] = v;
}
