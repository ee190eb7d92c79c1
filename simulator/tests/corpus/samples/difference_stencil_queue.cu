// A stencil that walks along z with a queue of planes in registers and the current plane in shared memory.
//@ run --entry walk --grid 1 --block 8,8 --arg in:f32:720=iota --arg out:f32:384 --arg i32:6
//! clean
//! defect 1: race at put and neighbours
//! defect 2: race at put and neighbours
//! defect 3: out_of_bounds at at
//! defect 4: uninitialized_read at neighbours|store
extern "C" __global__ void walk(const float* in, float* out, int planes)
{
    __shared__ float tile[10][10];
    int x = threadIdx.x, y = threadIdx.y;
    auto at = [&](int i, int j, int k) { return in[(k * 10 + j) * 9 + i]; }; // <- at
    float behind = at(x, y, 0), now = at(x, y, 1);
    for (int z = 1; z + 1 < planes + 1; ++z) {
#if DEFECT == 3
        float ahead = at(x, y, z + 3);
#else
        float ahead = at(x, y, z + 1 < 8 ? z + 1 : 7);
#endif
        tile[y + 1][x + 1] = now; // <- put
        if (x == 0) tile[y + 1][0] = now;
        if (x == 7) tile[y + 1][9] = now;
        if (y == 0) tile[0][x + 1] = now;
#if DEFECT != 4
        if (y == 7) tile[9][x + 1] = now;
#endif
#if DEFECT != 1
        __syncthreads();
#endif
        float sum = tile[y][x + 1] + tile[y + 2][x + 1] + tile[y + 1][x] + tile[y + 1][x + 2]; // <- neighbours
        out[(z - 1) * 64 + y * 8 + x] = sum + behind + ahead - 6 * now; // <- store
#if DEFECT != 2
        __syncthreads();
#endif
        behind = now;
        now = ahead;
    }
}
//! label 3: named the line that calls the lambda; the access stands in the lambda
