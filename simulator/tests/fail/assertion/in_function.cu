//@ run --entry roots --grid 1 --block 32 --arg in:f32:32=iota --arg out:f32:32
__device__ float root(float x) {
    assert(x < 30.0f && "too big");
    return sqrtf(x);
}
extern "C" __global__ void roots(const float* in, float* out) { out[threadIdx.x] = root(in[threadIdx.x]); }
