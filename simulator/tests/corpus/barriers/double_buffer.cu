// Two buffers, one barrier for each tile: the next tile is fetched while this one is used.
//@ run --entry sums --grid 1 --block 64 --arg in:i32:64x5=iota --arg out:i32:64
//! clean
//! defect 1: race at fetch and use
//! defect 2: race at fetch and use
extern "C" __global__ void sums(const int* in, int* out)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    tile[0][t] = in[t];
    __syncthreads();
    for (int k = 0; k < 5; ++k) {
        if (k + 1 < 5) {
#if DEFECT == 2
            tile[(k + 1) / 2 & 1][t] = in[(k + 1) * 64 + t]; // <- fetch
#else
            tile[k + 1 & 1][t] = in[(k + 1) * 64 + t]; // <- fetch
#endif
        }
        for (int j = 0; j < 64; j += 7) {
            sum += tile[k & 1][(t + j) % 64]; // <- use
        }
#if DEFECT != 1
        __syncthreads();
#endif
    }
    out[t] = sum;
}
