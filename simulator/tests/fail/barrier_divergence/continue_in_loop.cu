//@ run --entry sums --grid 1 --block 64 --arg in:i32:64=iota --arg inout:i32:64=zeros
// Threads that have nothing to do go on to the next round, and past the barrier.
extern "C" __global__ void sums(const int* in, int* out) {
    __shared__ int tile[64];
    for (int round = 0; round < 4; ++round) {
        if (threadIdx.x >= 48) continue;
        tile[threadIdx.x] = in[threadIdx.x];
        __syncthreads();
        out[threadIdx.x] += tile[47 - threadIdx.x];
        __syncthreads();
    }
}
