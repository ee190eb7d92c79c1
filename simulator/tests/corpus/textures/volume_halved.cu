// A volume is halved along each dimension: a filtered read in the middle of eight texels is their mean.
//@ run --entry halve --grid 2,1,3 --block 4,5 --arg texture:f32:6x10x16=iota,linear --arg surface:f32:3x5x8
//! clean
//! defect 1: race at write and write
//! defect 2: out_of_bounds at write
//! defect 3: out_of_bounds at write
//! defect 4: out_of_bounds at read
extern "C" __global__ void halve(cudaTextureObject_t large, cudaSurfaceObject_t small)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
#if DEFECT == 4
    const float mean = tex2D<float>(large, 2 * x + 1.0f, 2 * y + 1.0f); // <- read
#else
    const float mean = tex3D<float>(large, 2 * x + 1.0f, 2 * y + 1.0f, 2 * z + 1.0f); // <- read
#endif
#if DEFECT == 1
    surf3Dwrite(mean, small, 4 * x, y, 0); // <- write
#elif DEFECT == 2
    surf3Dwrite(mean, small, 4 * x, z, y); // <- write
#elif DEFECT == 3
    surf2Dwrite(mean, small, 4 * x, y + 5 * z); // <- write
#else
    surf3Dwrite(mean, small, 4 * x, y, z); // <- write
#endif
}
