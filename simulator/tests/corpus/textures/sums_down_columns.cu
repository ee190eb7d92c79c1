// Sums down the columns of a surface, in place: a thread has a column and keeps its sum in a register.
//@ run --entry sums --grid 2 --block 16 --arg surface:i32:8x30=iota --arg i32:30
//! clean
//! defect 1: race at above and write
//! defect 2: race at read and write
//! defect 3: out_of_bounds at read
//! defect 4: misaligned at write
extern "C" __global__ void sums(cudaSurfaceObject_t table, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 3
    if (x > width) return;
#else
    if (x >= width) return;
#endif
    int sum = 0;
    for (int y = 0; y < 8; ++y) {
#if DEFECT == 1
        if (y > 0) sum = surf2Dread<int>(table, 4 * x, y - 1); // <- above
#endif
#if DEFECT == 2
        sum += surf2Dread<int>(table, 4 * (x + 1 < width ? x + 1 : 0), y); // <- read
#else
        sum += surf2Dread<int>(table, 4 * x, y); // <- read
#endif
#if DEFECT == 4
        surf2Dwrite(sum, table, 4 * x + 2 * (y > 5), y); // <- write
#else
        surf2Dwrite(sum, table, 4 * x, y); // <- write
#endif
    }
}
