// All shortest paths, one tile of it: the second phase takes the diagonal tile's final state and relaxes a tile in its row in place; each round reads what other rows have stored in the round before.
//@ run --entry relax --grid 3 --block 8,8 --arg in:i32:8x8=iota --arg inout:i32:8x24=iota
//! clean
//! defect 1: race at relax and relax
//! defect 2: race at load and relax
//! defect 3: out_of_bounds at load; also=race
extern "C" __global__ void relax(const int* diagonal, int* row)
{
    __shared__ int d[8][8], c[8][8];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 8 + x;
#if DEFECT == 3
    column += 8 * (y == 7);
#endif
    d[y][x] = diagonal[y * 8 + x] * 5 % 17;
    c[y][x] = row[y * 24 + column] * 3 % 31; // <- load
#if DEFECT != 2
    __syncthreads();
#endif
#pragma unroll 1
    for (int k = 0; k < 8; ++k) {
        int through = d[y][k] + c[k][x]; // <- relax
        __syncthreads();
        if (through < c[y][x]) c[y][x] = through; // <- relax
#if DEFECT != 1
        __syncthreads();
#endif
    }
    row[y * 24 + blockIdx.x * 8 + x] = c[y][x];
}
//! label 1: lacked the other barrier, and that is no defect: row k does not change in round k, because nothing is nearer by way of itself
//! label 3: a consequence was not allowed: beyond its columns a block reads what the next one writes
