// Gauss-Seidel in one array: cells of one colour read only the other.
//@ run --entry relax --grid 1 --block 16,16 --arg inout:f32:18x18=iota
//! clean
//! defect 1: race at cell
//! defect 2: race at cell
extern "C" __global__ void relax(float* data)
{
    __shared__ float s[18][18];
    int t = threadIdx.y * 16 + threadIdx.x, x = threadIdx.x + 1, y = threadIdx.y + 1;
    for (int k = t; k < 324; k += 256) s[k / 18][k % 18] = data[k];
    __syncthreads();
    for (int step = 0; step < 6; ++step) {
#if DEFECT == 1
        if ((x + step) % 2 == 0)
#else
        if ((x + y + step) % 2 == 0)
#endif
            s[y][x] = 0.25f * (s[y - 1][x] + s[y + 1][x] + s[y][x - 1] + s[y][x + 1]); // <- cell
#if DEFECT == 2
        if (step % 2) __syncthreads();
#else
        __syncthreads();
#endif
    }
    data[y * 18 + x] = s[y][x];
}
