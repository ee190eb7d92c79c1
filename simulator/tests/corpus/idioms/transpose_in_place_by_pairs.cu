// A square matrix is transposed where it lies: the block of each pair of tiles swaps both, the others leave.
//@ run --entry swap --grid 3,3 --block 16,16 --arg inout:f32:48x48=zeros
//! clean
//! defect 1: race at read|mirror|up|low and up|low
//! defect 2: race at read|mirror and up|low
extern "C" __global__ void swap(float* m)
{
    __shared__ float a[16][17], b[16][17];
    int n = 48, x = threadIdx.x, y = threadIdx.y;
#if DEFECT != 1
    if (blockIdx.x < blockIdx.y) return;
#endif
    int upper = (blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x, lower = (blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x;
    a[y][x] = m[upper]; // <- read
    b[y][x] = m[lower]; // <- mirror
#if DEFECT == 2
    __syncwarp();
#else
    __syncthreads();
#endif
    m[upper] = b[x][y]; // <- up
    if (blockIdx.x != blockIdx.y) m[lower] = a[x][y]; // <- low
}
