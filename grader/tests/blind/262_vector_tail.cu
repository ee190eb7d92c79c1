// A float4 load whose last half lies beyond the buffer.
//@ run --entry vector_tail --grid 1 --block 32 --arg in:f32:126=uniform.npy --arg out:f32:128
// status: finished|faulted
// expect: out_of_bounds error global @ load
// allow: uninitialized_read error @ load

extern "C" __global__ void vector_tail(const float4* in, float4* out)
{
    int t = threadIdx.x;
    out[t] = in[t]; // <- load
}
