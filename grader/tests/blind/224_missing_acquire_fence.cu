// The publisher fences, the reader doesn't.
//@ run --entry no_acquire --grid 2 --block 32 --arg inout:i32:1=zeros --arg out:i32:1
// expect: race error global @ publish|consume

__device__ int ready;

extern "C" __global__ void no_acquire(int* data, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42; // <- publish
        __threadfence();
        atomicExch(&ready, 1);
    } else {
        while (atomicAdd(&ready, 0) == 0) {}
        out[0] = data[0]; // <- consume
    }
}
