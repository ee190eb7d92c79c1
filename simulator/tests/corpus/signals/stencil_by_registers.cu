// A stencil in three dimensions that walks along z: the values above and below rotate through registers, the layer's neighbours come from shared memory with a rim.
//@ run --entry walk --grid 2,1 --block 8,6 --arg in:i32:18x8x7=iota --arg out:i32:16x6x5
//! clean
//! defect 1: race at layer and sum
//! defect 2: race at sum and layer
//! defect 3: uninitialized_read at store|sum
//! defect 4: out_of_bounds at load|ahead
extern "C" __global__ void walk(const int* in, int* out)
{
    __shared__ int s[8][10];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 8 + tx + 1, y = ty + 1;
    auto at = [](int x, int y, int z) { return (z * 8 + y) * 18 + x; };
    int below = in[at(x, y, 0)], here = in[at(x, y, 1)], above; // <- load
    for (int z = 1; z <= 5; ++z) {
#if DEFECT == 4
        above = in[at(x, y, z + 2)]; // <- ahead
#else
        above = in[at(x, y, z + 1)]; // <- ahead
#endif
        s[ty + 1][tx + 1] = here; // <- layer
        if (tx == 0) s[ty + 1][0] = in[at(x - 1, y, z)]; // <- layer
#if DEFECT == 3
        if (tx == 7 && ty < 5) s[ty + 1][9] = in[at(x + 1, y, z)]; // <- layer
#else
        if (tx == 7) s[ty + 1][9] = in[at(x + 1, y, z)]; // <- layer
#endif
        if (ty == 0) s[0][tx + 1] = in[at(x, 0, z)]; // <- layer
        if (ty == 5) s[7][tx + 1] = in[at(x, 7, z)]; // <- layer
#if DEFECT != 1
        __syncthreads();
#endif
        int sum = below + above + s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty][tx + 1] + s[ty + 2][tx + 1]; // <- sum
        out[((z - 1) * 6 + ty) * 16 + x - 1] = sum - 6 * here; // <- store
        below = here;
        here = above;
#if DEFECT != 2
        __syncthreads();
#endif
    }
}
