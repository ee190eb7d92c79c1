// Blocks in z write planes one behind the other; a plane that is computed too small lets them overlap.
//@ run --entry planes --grid 2,1,3 --block 32 --arg out:i32:192
//! clean
//! defect 1: race at store
extern "C" __global__ void planes(int* out)
{
    int x = blockIdx.x * 32 + threadIdx.x, z = blockIdx.z;
#if DEFECT
    int plane = 48;
#else
    int plane = 64;
#endif
    out[z * plane + x] = z * 1000 + x; // <- store
}
