//@ run --entry last_block --grid 4 --block 64 --arg inout:i32:6=zeros
extern "C" __global__ void last_block(int* data) {
    __shared__ volatile int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data[2 + blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        int before = atomicAdd(&data[0], 1);
        __threadfence_block();
        count = before + 1;
    }
    // Thread 32 sees what thread 0 found, but has no fence.
    while (threadIdx.x == 32 && count == 0) {}
    if (threadIdx.x == 32 && count == 4) {
        int sum = 0;
        for (int i = 0; i < 4; ++i) sum += data[2 + i];
        data[1] = sum;
    }
}
