// Tiles of an image that hold a bright pixel are marked in a surface: several threads may write the same mark, and it is the same.
//@ run --entry mark --grid 4,2 --block 8,8 --arg texture:u8:16x32=iota --arg surface:u8:2x4=zeros
//! clean
//! defect 1: race at mark and mark
//! defect 2: race at mark and mark
//! defect 3: out_of_bounds at look
//! defect 4: race at seen and mark
extern "C" __global__ void mark(cudaTextureObject_t image, cudaSurfaceObject_t marks)
{
    const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#if DEFECT == 3
    const float value = tex2D<float>(image, x, y); // <- look
#else
    const unsigned char value = tex2D<unsigned char>(image, x, y); // <- look
#endif
    if (value > 100) {
#if DEFECT == 1
        surf2Dwrite((unsigned char)value, marks, blockIdx.x, blockIdx.y); // <- mark
#elif DEFECT == 2
        surf2Dwrite((unsigned char)(1 + blockIdx.x), marks, blockIdx.y, 0); // <- mark
#elif DEFECT == 4
        const unsigned char seen = surf2Dread<unsigned char>(marks, blockIdx.x, blockIdx.y); // <- seen
        if (!seen) surf2Dwrite((unsigned char)1, marks, blockIdx.x, blockIdx.y); // <- mark
#else
        surf2Dwrite((unsigned char)1, marks, blockIdx.x, blockIdx.y); // <- mark
#endif
    }
}
