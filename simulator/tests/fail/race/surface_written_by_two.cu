//@ run --entry written --grid 2 --block 32 --arg surface:i32:32
// Both blocks write the same texels.
extern "C" __global__ void written(cudaSurfaceObject_t surface)
{
    surf1Dwrite((int)blockIdx.x, surface, 4 * threadIdx.x);
}
