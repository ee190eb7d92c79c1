// No guard: the last thread reads one element past the end.
//@ run --entry by_one --grid 2 --block 64 --arg in:f32:127=uniform.npy --arg out:f32:128
// status: finished|faulted
// expect: out_of_bounds error global @ load
// allow: uninitialized_read error @ load

extern "C" __global__ void by_one(const float* in, float* out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] * 2.0f; // <- load
}
