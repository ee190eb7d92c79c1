// Block 0 hands a value to block 1: value, fence, flag; flag, fence, value.
//@ run --entry hand_over --grid 2 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at publish and consume
//! defect 2: race at publish and consume
//! defect 3: race at publish and consume
//! defect 4: race at publish and consume
extern "C" __global__ void hand_over(int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42; // <- publish
#if DEFECT == 3
        __threadfence_block();
#elif DEFECT != 1
        __threadfence();
#endif
        atomicExch(flag, 1);
    } else {
#if DEFECT != 4
        while (atomicAdd(flag, 0) == 0) {}
#endif
#if DEFECT != 2
        __threadfence();
#endif
        *out = *data + 1; // <- consume
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
