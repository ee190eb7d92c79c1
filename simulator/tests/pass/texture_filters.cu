//@ run --entry sampled --grid 1 --block 32 --arg out:f32:5x32
//@ run --arg texture:f32:2x4=values:0,16,-32,64,128,8,4,2 --arg texture:f32:2x4=values:0,16,-32,64,128,8,4,2,linear
//@ run --arg texture:f32:2x4=values:0,16,-32,64,128,8,4,2,linear,border --arg texture:f32:2x4=values:0,16,-32,64,128,8,4,2,linear,wrap,normalized
//@ run --arg texture:f32:2x4=values:0,16,-32,64,128,8,4,2,linear,mirror,normalized
// The same texels by other filters and address modes. All coordinates lie whole 256ths of a texel from its middle, so that weights are exact.
extern "C" __global__ void sampled(
    float* out, cudaTextureObject_t nearest, cudaTextureObject_t clamped, cudaTextureObject_t bordered, cudaTextureObject_t wrapped,
    cudaTextureObject_t mirrored)
{
    const int t = threadIdx.x;
    const float x = (t - 12) * 0.375f, y = (t % 5) * 0.5f - 0.25f;
    out[t] = tex2D<float>(nearest, x, y);
    out[32 + t] = tex2D<float>(clamped, x, y);
    out[64 + t] = tex2D<float>(bordered, x, y);
    out[96 + t] = tex2D<float>(wrapped, x / 4, y / 2);
    out[128 + t] = tex2D<float>(mirrored, x / 4, y / 2);
}
