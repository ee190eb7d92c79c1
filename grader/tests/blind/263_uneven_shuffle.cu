// A full-mask shuffle in a loop that the lanes run a different number of times.
//@ run --entry uneven_shuffle --grid 1 --block 32 --arg in:i32:32=small_ints.npy --arg out:i32:32
// expect: invalid_mask error @ shuffle
// allow: invalid_mask note @ shuffle
// allow: uninitialized_read error @ shuffle store

extern "C" __global__ void uneven_shuffle(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t];
    for (int k = 0; k < t % 4; ++k) {
        v += __shfl_xor_sync(0xffffffffu, v, 1); // <- shuffle
    }
    out[t] = v; // <- store
}
