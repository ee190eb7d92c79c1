// Texels of 16 bits are written two at a time, as one value of twice the width.
//@ run --entry write --grid 2 --block 16 --arg surface:u16:2x32 --arg texture:u16:2x32=iota
//! clean
//! defect 1: misaligned at write
//! defect 2: race at write and one
//! defect 3: out_of_bounds at write
//! defect 4: race at write and write
extern "C" __global__ void write(cudaSurfaceObject_t to, cudaTextureObject_t from)
{
    const int t = threadIdx.x, y = blockIdx.x;
    const unsigned short low = tex2D<unsigned short>(from, 2 * t, y), high = tex2D<unsigned short>(from, 2 * t + 1, y);
    const ushort2 both = make_ushort2(high, low);
#if DEFECT == 1
    if (t < 15) surf2Dwrite(both, to, sizeof(ushort2) * t + sizeof(unsigned short), y); // <- write
#elif DEFECT == 3
    surf2Dwrite(both, to, sizeof(ushort2) * (t + 1), y); // <- write
#elif DEFECT == 4
    surf2Dwrite(both, to, sizeof(ushort2) * t, 1); // <- write
#else
    surf2Dwrite(both, to, sizeof(ushort2) * t, y); // <- write
#endif
#if DEFECT == 2
    if (t % 2) surf2Dwrite(low, to, sizeof(ushort2) * (t ^ 2) + 2, y); // <- one
#endif
}
