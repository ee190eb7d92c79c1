// Own element and halo are loaded, the barrier comes only after the first use.
//@ run --entry late_barrier --grid 2 --block 64 --arg in:i32:128=small_ints.npy --arg out:i32:128
// expect: race error shared @ own use
// allow: uninitialized_read error @ use
// allow: race error @ own halo use

extern "C" __global__ void late_barrier(const int* in, int* out)
{
    __shared__ int tile[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tile[t + 1] = in[i]; // <- own
    if (t < 2) {
        int g = blockIdx.x * 64 + (t == 0 ? -1 : 64);
        tile[t * 65] = g >= 0 && g < 128 ? in[g] : 0; // <- halo
    }
    out[i] = tile[t] + tile[t + 2]; // <- use
    __syncthreads();
}
