// A grid of blocks over an image that it covers and more.
//@ run --entry tint --grid 3,2 --block 8,8 --arg inout:u8:13x20=iota
//! clean
//! defect 1: out_of_bounds at pixel
//! defect 2: race at pixel
//! defect 3: out_of_bounds at pixel; also=race
extern "C" __global__ void tint(unsigned char* image)
{
    constexpr int width = 20, height = 13;
    const dim3 at(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
#if DEFECT == 1
    if (at.x < width && at.y <= height) {
#elif DEFECT == 2
    if (at.x <= width && at.y < height && at.y * width + at.x < width * height) {
#elif DEFECT == 3
    if (at.x < width || at.y < height) {
#else
    if (at.x < width && at.y < height) {
#endif
        image[at.y * width + at.x] += at.x + 1; // <- pixel
    }
}
