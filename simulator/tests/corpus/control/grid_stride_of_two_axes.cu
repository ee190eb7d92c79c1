// Grid-stride loops over two axes; the strides are the grid's extents along each.
//@ run --entry fill --grid 2,2 --block 8,4 --arg out:i32:600 --arg i32:30 --arg i32:20
//! clean
//! defect 1: race at put
//! defect 2: out_of_bounds at put
//! defect 3: race at put
extern "C" __global__ void fill(int* out, int w, int h)
{
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += gridDim.y * blockDim.y) {
#if DEFECT == 1
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += blockDim.x) {
            out[y * w + x] = blockIdx.x; // <- put
#elif DEFECT == 2
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x <= w; x += gridDim.x * blockDim.x) {
            if (y == h - 1 || x < w) out[y * w + x] = 1; // <- put
#elif DEFECT == 3
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += gridDim.x * blockDim.x) {
            out[y * h + x] = y * w + x; // <- put
#else
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += gridDim.x * blockDim.x) {
            out[y * w + x] = y * w + x;
#endif
        }
    }
}
