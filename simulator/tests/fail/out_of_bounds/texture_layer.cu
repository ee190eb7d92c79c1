//@ run --entry sample --grid 1 --block 32 --arg out:f32:32 --arg texture:f32:4x8=iota,layered
// There are four layers, and the last lanes ask for a fifth.
extern "C" __global__ void sample(float* out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex1DLayered<float>(texture, 1, threadIdx.x / 7);
}
