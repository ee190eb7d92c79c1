// Producers draw a place, fill it and count it as full; the consumer reads when all are full. Counting when drawing is too early.
//@ run --entry fill --grid 3 --block 32 --arg inout:i32:2=zeros --arg inout:i32:2=zeros --arg out:i32:2
//! clean
//! defect 1: race at put and take
extern "C" __global__ void fill(int* items, int* count, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x < 2) {
        int at = atomicAdd(&count[0], 1);
        items[at] = blockIdx.x + 5; // <- put
        __threadfence();
        atomicAdd(&count[1], 1);
    } else {
#if DEFECT
        while (atomicAdd(&count[0], 0) < 2) {}
#else
        while (atomicAdd(&count[1], 0) < 2) {}
#endif
        __threadfence();
        out[0] = items[0] + items[1]; // <- take
        out[1] = 0;
    }
}
