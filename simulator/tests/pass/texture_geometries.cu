//@ run --entry read --grid 1 --block 32 --arg out:f32:6x32
//@ run --arg texture:f32:16=iota,linear --arg texture:f32:2x4x8=iota,linear,border --arg texture:f32:3x8=iota,layered,linear
//@ run --arg texture:f32:2x4x8=iota,layered --arg texture:f32:40=iota,memory
// Textures of one and three dimensions, layers of one and two, and linear memory.
extern "C" __global__ void read(
    float* out, cudaTextureObject_t line, cudaTextureObject_t volume, cudaTextureObject_t lines, cudaTextureObject_t planes,
    cudaTextureObject_t memory)
{
    const int t = threadIdx.x;
    out[t] = tex1D<float>(line, t * 0.5f);
    out[32 + t] = tex3D<float>(volume, t * 0.25f, t % 4 + 0.75f, t % 3);
    out[64 + t] = tex1DLayered<float>(lines, t * 0.25f, t % 3);
    out[96 + t] = tex2DLayered<float>(planes, t % 8 + 0.5f, t / 8 + 0.5f, t % 2);
    out[128 + t] = tex1Dfetch<float>(memory, t + 8);
    // A texture without mipmaps has one level, whatever is asked for.
    out[160 + t] = tex1DLod<float>(line, t * 0.5f, 0.0f) + tex1DGrad<float>(line, t * 0.5f, 0.0f, 0.0f);
}
