//@ run --entry sums --grid 1 --block 64 --arg in:i32:256=iota --arg out:i32:64
extern "C" __global__ void sums(const int* in, int* out) {
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; ++k) {
        tile[t] = in[64 * k + t];
        __syncthreads();
        for (int i = 0; i < 64; ++i) sum += tile[i];
    }
    out[t] = sum;
}
