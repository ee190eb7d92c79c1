// All lanes shuffle, the mask names only half of them.
//@ run --entry lane_not_in_mask --grid 1 --block 32 --arg in:i32:32=small_ints.npy --arg out:i32:32
// expect: invalid_mask error @ shuffle

extern "C" __global__ void lane_not_in_mask(const int* in, int* out)
{
    int t = threadIdx.x, v = in[t];
    v += __shfl_sync(0x0000ffffu, v, 3); // <- shuffle
    out[t] = v;
}
