// A per-thread array of eight, indexed by the data with nine.
//@ run --entry local_overflow --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
// status: finished|faulted
// expect: out_of_bounds error local @ store
// allow: uninitialized_read error @ load

extern "C" __global__ void local_overflow(const int* in, int* out)
{
    int t = threadIdx.x;
    int own[8];
    for (int k = 0; k < 8; ++k) own[k] = in[(t + k) % 32];
    int slot = in[t] % 9;
    own[slot] = 5; // <- store
    int sum = 0;
    for (int k = 0; k < 8; ++k) sum += own[(k + t) % 8]; // <- load
    out[t] = sum;
}
