//@ launch backwards grid=2000 block=1024 inout:i32:zeros:2001
extern "C" __global__ void backwards(int* done) {
    if (threadIdx.x == 0) {
        if (blockIdx.x + 1 < gridDim.x)
            while (atomicAdd(&done[blockIdx.x + 1], 0) == 0) {}
        __threadfence();
        atomicExch(&done[blockIdx.x], 1);
    }
}
