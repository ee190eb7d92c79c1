// Data and flag are written without a fence between them: the reader may see the flag and old data.
//@ run --entry no_release --grid 2 --block 32 --arg inout:i32:1=zeros --arg out:i32:1
// expect: race error global @ publish|consume

__device__ int ready;

extern "C" __global__ void no_release(int* data, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42; // <- publish
        atomicExch(&ready, 1);
    } else {
        while (atomicAdd(&ready, 0) == 0) {}
        __threadfence();
        out[0] = data[0]; // <- consume
    }
}
