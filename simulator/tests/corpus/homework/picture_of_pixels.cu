// A grey picture from a coloured one: four bytes a pixel in, one byte out.
//@ run --entry grey --grid 2,2 --block 16,4 --arg in:u8:4x20x7=iota --arg out:u8:20x7 --arg i32:20 --arg i32:7
//! clean
//! defect 1: misaligned at pixel
//! defect 2: out_of_bounds at store|pixel
//! defect 3: race at store; --grid 2,3
//! defect 4: out_of_bounds at store
extern "C" __global__ void grey(const unsigned char* in, unsigned char* out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
#if DEFECT == 2
    if (x >= width) return;
#else
    if (x >= width || y >= height) return;
#endif
#if DEFECT == 1
    unsigned pixel = *(const unsigned*)(in + 3 * (y * width + x)); // <- pixel
#else
    unsigned pixel = *(const unsigned*)(in + 4 * (y * width + x)); // <- pixel
#endif
    unsigned char r = pixel, g = pixel >> 8, b = pixel >> 16;
#if DEFECT == 4
    out[y * 24 + x] = (unsigned char)(0.21f * r + 0.72f * g + 0.07f * b); // <- store
#elif DEFECT == 3
    out[y * (width - 4) + x] = (unsigned char)(0.21f * r + 0.72f * g + 0.07f * b); // <- store
#else
    out[y * width + x] = (unsigned char)(0.21f * r + 0.72f * g + 0.07f * b); // <- store
#endif
}
