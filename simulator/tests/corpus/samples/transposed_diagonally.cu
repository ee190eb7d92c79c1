// A transpose with blocks in diagonal order, several rows a thread.
//@ run --entry transpose --grid 3,3 --block 16,4 --arg in:i32:2304=iota --arg out:i32:2304
//! clean
//! defect 1: race at load and store
//! defect 2: out_of_bounds at load|store
//! defect 3: race at store
extern "C" __global__ void transpose(const int* in, int* out)
{
    __shared__ int tile[16][17];
    int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
#if DEFECT == 2
    bx = blockIdx.x + blockIdx.y;
#endif
    int x = bx * 16 + threadIdx.x, y = by * 16 + threadIdx.y, n = 48;
    for (int k = 0; k < 16; k += 4) {
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x]; // <- load
    }
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 3
    x = bx * 16 + threadIdx.x;
    y = bx * 16 + threadIdx.y;
#else
    x = by * 16 + threadIdx.x;
    y = bx * 16 + threadIdx.y;
#endif
    for (int k = 0; k < 16; k += 4) {
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k]; // <- store
    }
}
