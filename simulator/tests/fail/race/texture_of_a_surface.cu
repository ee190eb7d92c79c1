//@ run --entry lit --grid 1 --block 32 --arg surface:f32:32=iota --arg texture:same:0 --arg out:f32:32
// A texture and a surface have the same texels: the texture's cache is not told what the surface writes.
extern "C" __global__ void lit(cudaSurfaceObject_t surface, cudaTextureObject_t texture, float* out)
{
    const int t = threadIdx.x;
    surf1Dwrite(2.0f * t, surface, 4 * t);
    __syncthreads();
    out[t] = tex1D<float>(texture, t);
}
