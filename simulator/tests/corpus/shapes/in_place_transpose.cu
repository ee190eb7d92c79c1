// A square matrix transposed in place by pairs of tiles: the tile of the other side must be read before it is overwritten.
//@ run --entry transpose --grid 2,2 --block 8,8 --arg inout:i32:16x16=iota
//! clean
//! defect 1: race at mine|theirs|put|back
extern "C" __global__ void transpose(int* a)
{
    __shared__ int s[8][9], other[8][9];
    int x = threadIdx.x, y = threadIdx.y, bx = blockIdx.x * 8, by = blockIdx.y * 8;
#if !DEFECT
    if (bx > by) return;
#endif
    s[y][x] = a[(by + y) * 16 + bx + x]; // <- mine
    other[y][x] = a[(bx + y) * 16 + by + x]; // <- theirs
    __syncthreads();
    a[(bx + y) * 16 + by + x] = s[x][y]; // <- put
#if !DEFECT
    if (bx != by) {
        a[(by + y) * 16 + bx + x] = other[x][y]; // <- back
    }
#endif
}
