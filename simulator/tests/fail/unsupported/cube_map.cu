//@ run --entry sample --grid 1 --block 32 --arg out:f32:32 --arg texture:f32:6x4x4=iota,layered
extern "C" __global__ void sample(float* out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = texCubemap<float>(texture, threadIdx.x, 0, 0);
}
