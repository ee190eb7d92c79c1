//@ run --entry twice --grid 1 --block 32 --arg surface:f32:2x32=iota
// The second row is as long as the first, but its end is counted in elements where the first coordinate counts bytes.
extern "C" __global__ void twice(cudaSurfaceObject_t surface)
{
    const int t = threadIdx.x;
    surf2Dwrite(1.0f, surface, 4 * t + 32, 1);
}
