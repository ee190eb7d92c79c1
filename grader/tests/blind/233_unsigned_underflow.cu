// i - 1 of an unsigned zero is four thousand million.
//@ run --entry underflow --grid 1 --block 32 --arg in:i32:32=small_ints.npy --arg out:i32:32
// status: finished|faulted
// expect: out_of_bounds error global @ load
// allow: uninitialized_read error @ load

extern "C" __global__ void underflow(const int* in, int* out)
{
    unsigned i = threadIdx.x;
    out[i] = in[i - 1u]; // <- load
}
