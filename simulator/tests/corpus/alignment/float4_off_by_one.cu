// A 16-byte load from an address that is a multiple of four only.
//@ run --entry quads --grid 1 --block 8 --arg in:f32:40=iota --arg out:f32:8 --arg i32:4
//! clean
//! defect 1: misaligned at load; arg2=i32:1
extern "C" __global__ void quads(const float* in, float* out, int start)
{
    float4 v = *(const float4*)(in + start + 4 * threadIdx.x); // <- load
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
