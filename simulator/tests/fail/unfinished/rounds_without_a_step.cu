//@ run --entry tiles --grid 1 --block 64 --arg in:i32:256=iota --arg out:i32:64 --arg i32:4
extern "C" __global__ void tiles(const int* in, int* out, int rounds) {
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < rounds;) {
        tile[t] = in[k * 64 + t];
        __syncthreads();
        sum = tile[63 - t];
        __syncthreads();
    }
    out[t] = sum;
}
