// Four warps multiply a shared 16 by 16 matrix by itself three times, from one buffer to the other.
//@ run --entry powers --grid 1 --block 128 --arg in:i32:16x16=iota --arg out:i32:16x16
//! clean
//! defect 1: race at sum and put
//! defect 2: race at sum and put
extern "C" __global__ void powers(const int* in, int* out)
{
    __shared__ int m[2][16][16];
    int t = threadIdx.x;
    for (int k = t; k < 256; k += 128) m[0][k / 16][k % 16] = in[k] % 5;
    __syncthreads();
    int from = 0;
    for (int power = 0; power < 3; ++power) {
#if DEFECT == 1
        int to = power == 2 ? from : 1 - from;
#else
        int to = 1 - from;
#endif
        for (int k = t; k < 256; k += 128) {
            int v = 0;
            for (int j = 0; j < 16; ++j) {
                v += m[from][k / 16][j] * m[from][j][k % 16] % 7; // <- sum
            }
            m[to][k / 16][k % 16] = v; // <- put
        }
#if DEFECT == 2
        if (power != 1) __syncthreads();
#else
        __syncthreads();
#endif
        from = to;
    }
    for (int k = t; k < 256; k += 128) out[k] = m[from][k / 16][k % 16];
}
