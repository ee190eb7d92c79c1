// One thread's assertion fails.
//@ run --entry assertion --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
// status: finished|faulted
// expect: assertion error @ assert

extern "C" __global__ void assertion(const int* in, int* out)
{
    int t = threadIdx.x;
    assert(in[t] != 33); // <- assert
    out[t] = in[t];
}
