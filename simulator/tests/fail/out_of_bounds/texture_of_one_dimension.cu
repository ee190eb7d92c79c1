//@ run --entry sample --grid 1 --block 32 --arg out:f32:32 --arg texture:f32:32=iota
// A texture of one dimension, read by two coordinates.
extern "C" __global__ void sample(float* out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x, 0);
}
