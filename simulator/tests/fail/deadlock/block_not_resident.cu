//@ run --entry backwards --grid 2000 --block 1024 --arg inout:i32:2001=zeros
extern "C" __global__ void backwards(int* done) {
    if (threadIdx.x == 0) {
        if (blockIdx.x + 1 < gridDim.x)
            while (atomicAdd(&done[blockIdx.x + 1], 0) == 0) {}
        __threadfence();
        atomicExch(&done[blockIdx.x], 1);
    }
}
