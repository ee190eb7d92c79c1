//@ launch scale grid=1 block=32 in:f32:iota:128 out:f32:128
extern "C" __global__ void scale(const float4* in, float4* out) {
    float4 v = in[threadIdx.x];
    out[threadIdx.x] = make_float4(v.w, 2 * v.x, v.y - v.z, v.z);
}
