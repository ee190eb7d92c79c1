//@ run --entry last_block --grid 4 --block 32 --arg inout:i32:6=zeros
extern "C" __global__ void last_block(int* data) {
    if (threadIdx.x == 0) {
        data[2 + blockIdx.x] = blockIdx.x + 1;
        int before = atomicAdd(&data[0], 1);
        if (before == 3) {
            __threadfence();
            int sum = 0;
            for (int i = 0; i < 4; ++i) sum += data[2 + i];
            data[1] = sum;
        }
    }
}
