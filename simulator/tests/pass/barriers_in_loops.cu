//@ run --entry loops --grid 2 --block 96 --arg in:i32:96=iota --arg inout:i32:96=zeros --arg i32:3
// Every thread goes round equally often, whatever it does in between; the last loop ends the kernel.
__device__ __noinline__ int neighbour(int* tile, int value) {
    tile[threadIdx.x] = value;
    __syncthreads();
    int other = tile[(threadIdx.x + 1) % 96];
    __syncthreads();
    return other;
}
extern "C" __global__ void loops(const int* in, int* out, int rounds) {
    __shared__ int tile[96];
    int value = in[threadIdx.x];
    if (blockIdx.x > 0) return;
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x % 3 == 0) {
            value += 1;
        }
        value = neighbour(tile, value);
    }
    for (int round = 0; ; ++round) {
        tile[threadIdx.x] = value;
        __syncthreads();
        if (round == rounds) break;
        int left = tile[(threadIdx.x + 95) % 96];
        __syncthreads();
        if (left % 2) continue;
        value += left;
    }
    for (int i = 0; i < rounds; ++i) {
        for (int j = 0; j <= i; ++j) {
            __syncthreads();
            if (j == i) out[threadIdx.x] = value;
        }
    }
}
