//@ run --entry sample --grid 1 --block 32 --arg out:f32:32 --arg surface:f32:33 --arg texture:same:1,linear
// A texture of what was never written; between two texels both count.
extern "C" __global__ void sample(float* out, cudaSurfaceObject_t, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex1D<float>(texture, threadIdx.x + 1);
}
