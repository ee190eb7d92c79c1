// Square tiles are exchanged in place: a block takes a pair of tiles that mirror each other, those on the diagonal one.
//@ run --entry flip --grid 3,3 --block 8,8 --arg inout:i32:24x24=iota --arg i32:24
//! clean
//! defect 1: race at load and store
//! defect 2: race at load|store and load|store
//! defect 3: race at load|store and store
extern "C" __global__ void flip(int* a, int n)
{
    __shared__ int upper[8][9], lower[8][9];
#if DEFECT == 3
    if (blockIdx.x + 1 < blockIdx.y) return;
#else
    if (blockIdx.x < blockIdx.y) return;
#endif
    int x = threadIdx.x, y = threadIdx.y;
    int ux = blockIdx.x * 8 + x, uy = blockIdx.y * 8 + y, lx = blockIdx.y * 8 + x, ly = blockIdx.x * 8 + y;
#if DEFECT == 2
    a[ux * n + uy] = a[uy * n + ux]; // <- store
    if (blockIdx.x != 0) return;
#endif
    upper[y][x] = a[uy * n + ux]; // <- load
    lower[y][x] = a[ly * n + lx]; // <- load
#if DEFECT == 1
    __syncwarp();
#else
    __syncthreads();
#endif
    a[uy * n + ux] = lower[x][y]; // <- store
    a[ly * n + lx] = upper[x][y]; // <- store
}
//! label 2: copied to the same place in the other tile, where nobody else reads or writes; now to the mirrored place, which on the diagonal is another thread's
