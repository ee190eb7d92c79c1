//@ run --entry scale --grid 1 --block 32 --arg in:f32:128=iota --arg out:f32:128
extern "C" __global__ void scale(const float4* in, float4* out) {
    float4 v = in[threadIdx.x];
    out[threadIdx.x] = make_float4(v.w, 2 * v.x, v.y - v.z, v.z);
}
