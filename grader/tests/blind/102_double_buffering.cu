// Looks like a missing second barrier, is not: two buffers alternate, so one barrier a tile is enough.
//@ run --entry double_buffering --grid 2 --block 64 --arg in:i32:2x512=small_ints.npy --arg out:i32:128
// save: 1
// reference: double_buffering

extern "C" __global__ void double_buffering(const int* in, int* out)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, base = blockIdx.x * 512, sum = 0;
    tile[0][t] = in[base + t];
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        if (k + 1 < 8) tile[(k + 1) % 2][t] = in[base + (k + 1) * 64 + t];
        for (int j = 0; j < 64; ++j) sum += tile[k % 2][j] * (j == t ? 2 : 1);
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}
