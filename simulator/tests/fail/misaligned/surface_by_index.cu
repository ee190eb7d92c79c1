//@ run --entry ones --grid 1 --block 32 --arg surface:f32:2x32=iota
// The first coordinate counts bytes, and here it counts elements.
extern "C" __global__ void ones(cudaSurfaceObject_t surface)
{
    surf2Dwrite(1.0f, surface, threadIdx.x, 1);
}
