//@ run --entry doubled --grid 1 --block 32 --arg surface:f32:32 --arg out:f32:32
// Nothing was ever written to the surface.
extern "C" __global__ void doubled(cudaSurfaceObject_t surface, float* out)
{
    const int t = threadIdx.x;
    out[t] = 2 * surf1Dread<float>(surface, 4 * t);
}
