//@ run --entry last_block --grid 4 --block 64 --arg inout:i32:6=zeros
// The last block reads what the others wrote: behind a fence that reaches only its own block, of one thread for all.
extern "C" __global__ void last_block(int* data)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        data[2 + blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        is_last = atomicAdd(&data[0], 1) == 3;
        __threadfence_block();
    }
    __syncthreads();
    if (is_last && threadIdx.x == 32) {
        int sum = 0;
        for (int i = 0; i < 4; ++i) sum += data[2 + i];
        data[1] = sum;
    }
}
