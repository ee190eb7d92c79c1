// Each row of a surface goes round by one in place: all of a row is read before any of it is written, by one block.
//@ run --entry shift --grid 1,4 --block 32 --arg surface:f32:4x32=iota
//! clean
//! defect 1: race at read and write
//! defect 2: race at read and write; --grid 2,4 --block 16
//! defect 3: barrier_divergence at barrier; also=race
//! defect 4: race at read and write
extern "C" __global__ void shift(cudaSurfaceObject_t rows)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, width = gridDim.x * blockDim.x;
#if DEFECT == 4
    const int y = blockIdx.y, from = blockIdx.y / 2 * 2;
#else
    const int y = blockIdx.y, from = y;
#endif
    const float right = surf2Dread<float>(rows, 4 * ((x + 1) % width), from); // <- read
#if DEFECT == 3
    if (right > 40) __syncthreads(); // <- barrier
#elif DEFECT != 1
    __syncthreads(); // <- barrier
#endif
    surf2Dwrite(right, rows, 4 * x, y); // <- write
}
//! label 3: was a warning, as for threads that leave at once; these go on beyond the barrier and write
