// The mask names the whole warp, but only half of it comes to the shuffle; the others are still running.
//@ run --entry absent_lanes --grid 1 --block 32 --arg in:i32:32=small_ints.npy --arg out:i32:32
// expect: invalid_mask error @ shuffle
// allow: invalid_mask note @ shuffle
// allow: uninitialized_read error @ shuffle store

extern "C" __global__ void absent_lanes(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t];
    if (t < 16) {
        v += __shfl_down_sync(0xffffffffu, v, 8); // <- shuffle
    }
    out[t] = v; // <- store
}
