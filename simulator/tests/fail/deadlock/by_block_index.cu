//@ run --entry chain --grid 8 --block 32 --arg inout:i32:9=zeros
extern "C" __global__ void chain(int* data) {
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0)
            while (atomicAdd(&data[blockIdx.x - 1], 0) == 0) {}
        for (int i = 0; i < 20000; ++i) __nanosleep(1);
        __threadfence();
        atomicExch(&data[blockIdx.x], 1);
    }
}
