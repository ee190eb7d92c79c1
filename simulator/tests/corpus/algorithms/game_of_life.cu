// Several generations in shared memory with a torus at the edges; two boards and one barrier a generation.
//@ run --entry live --grid 1 --block 16,16 --arg in:i32:16x16=iota --arg out:i32:16x16 --arg i32:5
//! clean
//! defect 1: race at count and next
//! defect 2: uninitialized_read|race at count|next|store
extern "C" __global__ void live(const int* in, int* out, int generations)
{
    __shared__ unsigned char board[2][16][16];
    int x = threadIdx.x, y = threadIdx.y, now = 0;
#if DEFECT == 2
    if (x < 15) board[0][y][x] = in[y * 16 + x] % 3 == 0;
#else
    board[0][y][x] = in[y * 16 + x] % 3 == 0;
#endif
    __syncthreads();
    for (int g = 0; g < generations; ++g) {
        int n = 0;
        for (int dy = 15; dy <= 17; ++dy)
            for (int dx = 15; dx <= 17; ++dx) {
                n += board[now][(y + dy) % 16][(x + dx) % 16]; // <- count
            }
#if DEFECT == 1
        int next = now;
#else
        int next = 1 - now;
#endif
        board[next][y][x] = n == 3 || (n == 4 && board[now][y][x]); // <- next
        __syncthreads();
        now = next;
    }
    out[y * 16 + x] = board[now][y][x]; // <- store
}
