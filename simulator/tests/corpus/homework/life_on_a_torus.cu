// One step of the game of life on a torus, from one board to another.
//@ run --entry life --grid 2,2 --block 8,8 --arg in:u8:16x16=iota --arg out:u8:16x16 --arg i32:16 --arg i32:16
//! clean
//! defect 1: out_of_bounds at count
//! defect 2: race at count and store; arg1=same:0
//! defect 3: out_of_bounds at count
//! defect 4: out_of_bounds|race at store; --grid 3,2 also=race,out_of_bounds
__device__ int cell(const unsigned char* board, int x, int y, int w, int h)
{
#if DEFECT == 1
    x = x % w;
    y = y % h;
#elif DEFECT == 3
    x = x < 0 ? w : x >= w ? 0 : x;
    y = y < 0 ? h : y >= h ? 0 : y;
#else
    x = (x + w) % w;
    y = (y + h) % h;
#endif
    return board[y * w + x] & 1; // <- count
}
extern "C" __global__ void life(const unsigned char* now, unsigned char* next, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
#if DEFECT != 4
    if (x >= w || y >= h) return;
#endif
    int n = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy) n += cell(now, x + dx, y + dy, w, h);
    next[y * w + x] = n == 3 || (n == 2 && (now[y * w + x] & 1)); // <- store
}
