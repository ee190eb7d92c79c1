// A difference of neighbours in a surface: beyond its edges there are zeros to the left, and the last row above and below; writes there do nothing.
//@ run --entry differ --grid 3,2 --block 8,4 --arg surface:f32:7x20=iota --arg surface:f32:7x20
//! clean
//! defect 1: out_of_bounds at left
//! defect 2: race at write and write
//! defect 3: misaligned at left
//! defect 4: out_of_bounds at below
extern "C" __global__ void differ(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
#if DEFECT == 1
    const float left = surf2Dread<float>(from, 4 * (x - 1), y, cudaBoundaryModeTrap); // <- left
#elif DEFECT == 3
    const float left = surf2Dread<float>(from, 4 * x - 1, y, cudaBoundaryModeZero); // <- left
#else
    const float left = surf2Dread<float>(from, 4 * (x - 1), y, cudaBoundaryModeZero); // <- left
#endif
    const float above = surf2Dread<float>(from, 4 * x, y - 1, cudaBoundaryModeClamp);
#if DEFECT == 4
    const float below = surf2Dread<float>(from, 4 * min(x, 19), y + 1); // <- below
#else
    const float below = surf2Dread<float>(from, 4 * x, y + 1, cudaBoundaryModeClamp); // <- below
#endif
#if DEFECT == 2
    surf2Dwrite(below - above + left, to, 4 * x, y, cudaBoundaryModeClamp); // <- write
#else
    surf2Dwrite(below - above + left, to, 4 * x, y, cudaBoundaryModeZero); // <- write
#endif
}
