//@ run --entry last_block --grid 4 --block 32 --arg inout:i32:6=zeros
extern "C" __global__ void last_block(int* data) {
    __shared__ int before;
    if (threadIdx.x == 0) data[2 + blockIdx.x] = blockIdx.x + 1;
    // Each fences what it wrote itself; nothing orders thread 0's before thread 1's counting.
    __threadfence();
    if (threadIdx.x == 1) {
        before = atomicAdd(&data[0], 1);
        __threadfence();
    }
    __syncthreads();
    if (before == 3 && threadIdx.x == 1) {
        int sum = 0;
        for (int i = 0; i < 4; ++i) sum += data[2 + i];
        data[1] = sum;
    }
}
