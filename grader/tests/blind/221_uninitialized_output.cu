// An output buffer is added to before anything was written to it.
//@ run --entry uninitialized_output --grid 2 --block 32 --arg in:i32:64=small_ints.npy --arg out:i32:64
// expect: uninitialized_read error global @ add

extern "C" __global__ void uninitialized_output(const int* in, int* out)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] += in[i]; // <- add
}
