// An address is made from a shared word that nobody set.
//@ run --entry uninitialized_index --grid 1 --block 32 --arg in:i32:32=small_ints.npy --arg out:i32:32
// expect: uninitialized_read error @ index|use

extern "C" __global__ void uninitialized_index(const int* in, int* out)
{
    __shared__ int order[33];
    int t = threadIdx.x;
    order[t] = 31 - t;
    __syncthreads();
    int k = order[t + 1] & 31; // <- index
    out[t] = in[k]; // <- use
}
