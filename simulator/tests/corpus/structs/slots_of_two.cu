// One warp posts slots and another takes them: the payload, a fence, and then the word that says it is there.
//@ run --entry post --grid 1 --block 64 --arg in:i32:32=iota --arg inout:i32:32x2=zeros --arg out:i32:32
//! clean
//! defect 1: race at post and wait|take
//! defect 2: race at post and take
//! defect 3: race at whole and post
//! defect 4: deadlock at wait
struct Slot {
    int ready;
    int payload;
};
__device__ __noinline__ void put(Slot* at, Slot slot)
{
#if DEFECT == 1
    *at = slot; // <- post
#else
    at->payload = slot.payload; // <- post
#if DEFECT != 2
    __threadfence();
#endif
#if DEFECT != 4
    atomicExch(&at->ready, slot.ready);
#endif
#endif
}
extern "C" __global__ void post(const int* in, Slot* slots, int* out)
{
    const int t = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        put(&slots[t], {1, in[t] * 3});
    } else {
#if DEFECT == 3
        const Slot early = slots[31 - t]; // <- whole
        out[t] = early.payload;
#endif
        while (atomicAdd(&slots[31 - t].ready, 0) == 0); // <- wait
        __threadfence();
        out[t] = slots[31 - t].payload; // <- take
    }
}
