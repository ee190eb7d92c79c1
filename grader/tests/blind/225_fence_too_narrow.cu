// The publisher's fence reaches only its own block, the reader sits in another.
//@ run --entry narrow_fence --grid 2 --block 32 --arg inout:i32:1=zeros --arg out:i32:1
// expect: race error global @ publish|consume

__device__ volatile int ready;

extern "C" __global__ void narrow_fence(int* data, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42; // <- publish
        __threadfence_block();
        ready = 1;
    } else {
        while (ready == 0) {}
        __threadfence();
        out[0] = data[0]; // <- consume
    }
}
