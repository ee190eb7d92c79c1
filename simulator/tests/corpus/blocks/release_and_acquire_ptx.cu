// The hand-over by a releasing store and an acquiring load, or by relaxed ones.
//@ run --entry hand_over --grid 2 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at publish and consume
//! defect 2: race at publish and consume
extern "C" __global__ void hand_over(int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42; // <- publish
#if DEFECT == 1
        asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
#else
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
#endif
    } else {
        int seen = 0;
        while (seen == 0) {
#if DEFECT == 2
            asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
#else
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
#endif
        }
        *out = *data + 1; // <- consume
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
