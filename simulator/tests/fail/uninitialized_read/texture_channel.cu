//@ run --entry sample --grid 1 --block 32 --arg out:f32:32 --arg texture:f32:4x8=iota
// The texture has one channel, and the kernel takes the second.
extern "C" __global__ void sample(float* out, cudaTextureObject_t texture)
{
    const int t = threadIdx.x;
    const float2 both = tex2D<float2>(texture, t % 8, t / 8);
    out[t] = both.x + both.y;
}
