// A float4 load from an address that is a multiple of four only.
//@ run --entry misaligned --grid 1 --block 32 --arg in:f32:256=uniform.npy --arg out:f32:128
// status: finished|faulted
// expect: misaligned error global @ load
// allow: uninitialized_read error @ load

extern "C" __global__ void misaligned(const float* in, float4* out)
{
    int t = threadIdx.x;
    out[t] = *reinterpret_cast<const float4*>(in + 1 + 4 * t); // <- load
}
