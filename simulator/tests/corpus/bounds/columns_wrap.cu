// The same with a guard on columns: one too many is the first of the next row, which another thread writes too.
//@ run --entry marks --grid 2,1 --block 16,8 --arg out:i32:8x20 --arg i32:20
//! clean
//! defect 1: race|out_of_bounds at write
extern "C" __global__ void marks(int* out, int width)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = threadIdx.y;
#if DEFECT
    if (x <= width) {
#else
    if (x < width) {
#endif
        out[y * width + x] = x * 100 + y; // <- write
    }
}
