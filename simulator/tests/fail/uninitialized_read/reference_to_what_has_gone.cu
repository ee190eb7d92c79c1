//@ run --entry flags --grid 1 --block 32 --arg out:i32:32
// The byte that a reference names went with its function: what is read there is nobody's.
__device__ __noinline__ char const& last_of(int thread)
{
    char text[4] = {'a', 'b', 'c', char('d' + thread)};
    char const* at = &text[3];
    return *at;
}

extern "C" __global__ void flags(int* out)
{
    char last = last_of(threadIdx.x);
    out[threadIdx.x] = last == 'd' ? 1 : 2;
}
