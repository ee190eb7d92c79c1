// A tells B, B tells C: what A wrote is C's to read by cumulativity. Without waiting for A, B's word is worth nothing.
//@ run --entry relay --grid 3 --block 32 --arg inout:i32:1=zeros --arg inout:i32:2=zeros --arg out:i32:1
//! clean
//! defect 1: race at publish and consume
extern "C" __global__ void relay(int* data, int* flags, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42; // <- publish
        __threadfence();
        atomicExch(&flags[0], 1);
    } else if (blockIdx.x == 1) {
#if !DEFECT
        while (atomicAdd(&flags[0], 0) == 0) {}
#endif
        __threadfence();
        atomicExch(&flags[1], 1);
    } else {
        while (atomicAdd(&flags[1], 0) == 0) {}
        __threadfence();
        *out = *data + 1; // <- consume
    }
}
