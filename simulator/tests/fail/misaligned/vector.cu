//@ run --entry wide --grid 1 --block 8 --arg in:f32:64=iota --arg out:f32:64
extern "C" __global__ void wide(const float* in, float* out) {
    float4 v = *(const float4*)(in + 1 + 4 * threadIdx.x);
    out[threadIdx.x] = v.x + v.w;
}
