//@ run --entry sums --grid 1 --block 64 --arg in:i32:64=iota --arg inout:i32:64=zeros
__device__ __noinline__ int exchange(int* tile, int value) {
    tile[threadIdx.x] = value;
    __syncthreads();
    int other = tile[threadIdx.x / 2];
    __syncthreads();
    return other;
}
extern "C" __global__ void sums(const int* in, int* out) {
    __shared__ int tile[64];
    for (int round = 0; round < 4; ++round) {
        if (in[threadIdx.x] == 63) continue;
        out[threadIdx.x] += exchange(tile, in[threadIdx.x]);
    }
}
