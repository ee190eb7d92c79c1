// Pixels of a surface are inverted in place: a thread reads its own and writes it.
//@ run --entry invert --grid 2,3 --block 16,4 --arg surface:u8x4:10x30=iota --arg i32:30 --arg i32:10 --arg out:u32:1
//! clean
//! defect 1: misaligned at read
//! defect 2: race at again and write
//! defect 3: out_of_bounds at read
//! defect 4: out_of_bounds at write; also=race
extern "C" __global__ void invert(cudaSurfaceObject_t image, int width, int height, unsigned* first)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
#if DEFECT == 3
    if (x >= width) return;
#else
    if (x >= width || y >= height) return;
#endif
#if DEFECT == 1
    uchar4 pixel = surf2Dread<uchar4>(image, x, y); // <- read
#else
    uchar4 pixel = surf2Dread<uchar4>(image, x * sizeof(uchar4), y); // <- read
#endif
    pixel.x = 255 - pixel.x;
    pixel.y = 255 - pixel.y;
    pixel.z = 255 - pixel.z;
#if DEFECT == 4
    surf2Dwrite(pixel, image, x * sizeof(float4), y); // <- write
#else
    surf2Dwrite(pixel, image, x * sizeof(uchar4), y); // <- write
#endif
    if (x == 0 && y == 0) {
#if DEFECT == 2
        pixel = surf2Dread<uchar4>(image, 0, 0); // <- again
#endif
        *first = pixel.x;
    }
}
