//@ run --entry rounds --grid 1 --block 64 --arg inout:i32:64=zeros
// 100 items for 64 threads: the last 28 threads go round once, and the kernel ends behind the loop.
extern "C" __global__ void rounds(int* out) {
    for (int i = threadIdx.x; i < 100; i += blockDim.x) {
        out[threadIdx.x] += i;
        __syncthreads();
    }
}
