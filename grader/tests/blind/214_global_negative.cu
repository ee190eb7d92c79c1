// The left neighbour of element zero.
//@ run --entry negative --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// status: finished|faulted
// expect: out_of_bounds error global @ load
// allow: uninitialized_read error @ load store

extern "C" __global__ void negative(const int* in, int* out)
{
    int t = threadIdx.x;
    int left = in[t - 1]; // <- load
    out[t] = left + in[t]; // <- store
}
