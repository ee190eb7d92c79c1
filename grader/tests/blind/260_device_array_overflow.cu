// A device variable of eight words, read at index eight.
//@ run --entry device_array --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
// status: finished|faulted
// expect: out_of_bounds error global @ load
// allow: uninitialized_read error @ load store

__device__ int lookup[8] = {1, 2, 3, 4, 5, 6, 7, 8};

extern "C" __global__ void device_array(const int* in, int* out)
{
    int t = threadIdx.x;
    int v = lookup[in[t] % 9]; // <- load
    out[t] = v; // <- store
}
