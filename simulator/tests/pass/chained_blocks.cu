//@ run --entry chain --grid 40 --block 32 --arg inout:i32:42=zeros
extern "C" __global__ void chain(int* data) {
    __shared__ int mine;
    if (threadIdx.x == 0) {
        mine = atomicAdd(&data[0], 1);
        while (atomicAdd(&data[1 + mine], 0) == 0 && mine > 0) {}
        __threadfence();
        atomicExch(&data[2 + mine], mine + 1);
    }
}
