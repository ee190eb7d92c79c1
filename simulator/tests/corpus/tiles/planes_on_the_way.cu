// A stencil in three dimensions: planes in shared memory, the ones above and below in registers, on the way along z.
//@ run --entry stencil --grid 2,2 --block 10,10 --arg in:f32:6x16x16=iota --arg out:f32:6x16x16 --arg i32:16 --arg i32:6
//! clean
//! defect 1: race at shift and sum
//! defect 2: race at sum and shift
//! defect 3: out_of_bounds at above
//! defect 4: uninitialized_read at sum
extern "C" __global__ void stencil(const float* in, float* out, int n, int depth)
{
    __shared__ float plane[10][10];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 8 + tx - 1, y = blockIdx.y * 8 + ty - 1;
    bool inside = x >= 0 && x < n && y >= 0 && y < n;
    float below = inside ? in[y * n + x] : 0, here = inside ? in[n * n + y * n + x] : 0, above;
#if DEFECT == 4
    if (inside)
#endif
    plane[ty][tx] = here; // <- shift
#if DEFECT == 3
    for (int z = 1; z < depth; ++z) {
#else
    for (int z = 1; z < depth - 1; ++z) {
#endif
        above = inside ? in[(z + 1) * n * n + y * n + x] : 0; // <- above
#if DEFECT != 1
        __syncthreads();
#endif
        if (inside && tx > 0 && tx < 9 && ty > 0 && ty < 9) {
            float sum = plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx]; // <- sum
            out[z * n * n + y * n + x] = sum + above + below - 6 * here; // <- sum
        }
#if DEFECT != 2
        __syncthreads();
#endif
        below = here;
        here = above;
        plane[ty][tx] = here; // <- shift
    }
}
