// Handles travel in structures as well: a texture with the way to look at it.
//@ run --entry look --grid 1 --block 32 --arg texture:f32:4x8=iota,linear --arg bytes:0000003f_0000803f --arg out:f32:32
//! clean
//! defect 1: out_of_bounds at read; arg0=texture:f32:4x8=iota,layered
//! defect 2: uninitialized_read at read|result
//! defect 3: out_of_bounds at read
//! defect 4: race at result and result
struct Image {
    cudaTextureObject_t texels;
};
struct Zoom {
    float x, y;
};
struct Sampler {
    Image image;
    Zoom zoom;
};
__device__ __noinline__ float sampled(Sampler sampler, float x, float y)
{
    return tex2D<float>(sampler.image.texels, sampler.zoom.x * x, sampler.zoom.y * y); // <- read
}
extern "C" __global__ void look(Image image, Zoom zoom, float* out)
{
    const int t = threadIdx.x;
    Sampler sampler;
    sampler.image = image;
#if DEFECT == 2
    sampler.zoom.x = zoom.x;
#else
    sampler.zoom = zoom;
#endif
#if DEFECT == 3
    // An address of a handle is none.
    sampler.image.texels = (cudaTextureObject_t)&image;
#endif
    const float texel = sampled(sampler, t % 8 + 0.5f, t / 8 + 0.5f);
#if DEFECT == 4
    out[t / 2] = texel; // <- result
#else
    out[t] = texel; // <- result
#endif
}
