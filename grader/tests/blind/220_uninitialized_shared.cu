// Nobody writes the shared words that everybody adds to the result.
//@ run --entry uninitialized_shared --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// expect: uninitialized_read error @ load|store

extern "C" __global__ void uninitialized_shared(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (in[t] > 1000) s[t] = 0;
    __syncthreads();
    int v = s[t ^ 1]; // <- load
    out[t] = in[t] + v; // <- store
}
