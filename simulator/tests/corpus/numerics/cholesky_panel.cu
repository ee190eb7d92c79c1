// A Cholesky factorisation of a small matrix: the root by one thread, the column by one a row, the rest by a plane of threads. After the
// rest no barrier is needed: every element there is used next by the thread that wrote it.
//@ run --entry factor --grid 1 --block 8,8 --arg in:f32:64=ones --arg out:f32:64
//! clean
//! defect 1: race at root and column
//! defect 2: race at column and update
//! defect 3: race at column
extern "C" __global__ void factor(const float* in, float* out)
{
    __shared__ float a[8][9];
    int x = threadIdx.x, y = threadIdx.y;
    a[y][x] = in[y * 8 + x] + (x == y ? 9 : 0);
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        if (x == k && y == k) a[k][k] = sqrtf(a[k][k]); // <- root
#if DEFECT != 1
        __syncthreads();
#endif
#if DEFECT == 3
        if (y > k) a[y][k] /= a[k][k] + x; // <- column
#else
        if (x == k && y > k) a[y][k] /= a[k][k]; // <- column
#endif
#if DEFECT != 2
        __syncthreads();
#endif
        if (x > k && y >= x) a[y][x] -= a[y][k] * a[x][k]; // <- update
    }
    out[y * 8 + x] = y >= x ? a[y][x] : 0;
}
