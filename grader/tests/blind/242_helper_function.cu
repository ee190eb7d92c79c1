// The defect sits in an inlined helper: its line counts, not the caller's.
//@ run --entry uses_helper --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:64
// status: finished|faulted
// expect: out_of_bounds error global @ load
// allow: uninitialized_read error @ load store

__device__ __forceinline__ int right_neighbour(const int* p, int i)
{
    return p[i + 1]; // <- load
}

extern "C" __global__ void uses_helper(const int* in, int* out)
{
    int t = threadIdx.x;
    out[t] = right_neighbour(in, t); // <- store
}
