// The diagonal tile of an LU decomposition in shared memory: a step for each column, all threads of the tile update what is left of it.
//@ run --entry lu --grid 1 --block 8,8 --arg inout:f32:8x8=iota
//! clean
//! defect 1: race at scale and update
//! defect 2: race at update and scale
//! defect 3: race at scale|pivot and scale|pivot
//! defect 4: barrier_divergence at meet|next; also=race
extern "C" __global__ void lu(float* a)
{
    __shared__ float m[8][9];
    int x = threadIdx.x, y = threadIdx.y;
    m[y][x] = a[y * 8 + x] + (x == y ? 100.0f : 0.0f);
    __syncthreads();
    for (int k = 0; k < 7; ++k) {
        if (x == k && y > k) {
            m[y][k] /= m[k][k]; // <- scale
#if DEFECT == 3
            m[k][k] = 1.0f * m[k][k] + 0.0f * y; // <- pivot
#endif
        }
#if DEFECT == 4
        if (x >= k) __syncthreads(); // <- meet
#elif DEFECT != 1
        __syncthreads(); // <- meet
#endif
        if (x > k && y > k) m[y][x] -= m[y][k] * m[k][x]; // <- update
#if DEFECT != 2
        __syncthreads(); // <- next
#endif
    }
    a[y * 8 + x] = m[y][x];
}
