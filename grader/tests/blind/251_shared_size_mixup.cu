// Dynamic shared memory is used, but the launch asked for none.
//@ run --entry no_dynamic --grid 1 --block 32 --arg in:i32:32=small_ints.npy --arg out:i32:32
// status: finished|faulted
// expect: out_of_bounds error shared @ store
// allow: out_of_bounds error @ load
// allow: uninitialized_read error @ load

extern __shared__ int pool[];

extern "C" __global__ void no_dynamic(const int* in, int* out)
{
    int t = threadIdx.x;
    pool[t] = in[t]; // <- store
    __syncwarp();
    out[t] = pool[31 - t]; // <- load
}
