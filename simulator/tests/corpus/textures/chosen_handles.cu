// A block chooses its texture from a list; the last has texels of another type.
//@ run --entry choose --grid 3 --block 32 --arg texture:f32:32=iota --arg texture:f32:64=iota,linear --arg texture:u8:32=iota,as-float --arg surface:f32:32=iota --arg out:f32:3x32
//! clean
//! defect 1: out_of_bounds|uninitialized_read at take|read
//! defect 2: uninitialized_read at take|read; also=out_of_bounds
//! defect 3: out_of_bounds at read
//! defect 4: out_of_bounds at read; arg2=texture:u8:32=iota
extern "C" __global__ void choose(
    cudaTextureObject_t first, cudaTextureObject_t second, cudaTextureObject_t third, cudaSurfaceObject_t surface, float* out)
{
    cudaTextureObject_t list[3];
    list[0] = first;
#if DEFECT == 3
    list[1] = surface;
#else
    list[1] = second;
#endif
#if DEFECT != 2
    list[2] = third;
#endif
#if DEFECT == 1
    const cudaTextureObject_t mine = list[blockIdx.x + 1]; // <- take
#else
    const cudaTextureObject_t mine = list[blockIdx.x]; // <- take
#endif
    out[blockIdx.x * 32 + threadIdx.x] = tex1D<float>(mine, threadIdx.x + 0.25f); // <- read
}
//! label 2: a consequence was not allowed: a handle that nobody has set is none that the host has made
