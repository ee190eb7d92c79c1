// A release and an acquire of block scope reach no other block.
//@ run --entry hand_over --grid 2 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at publish and consume
extern "C" __global__ void hand_over(int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42; // <- publish
#if DEFECT
        asm volatile("fence.acq_rel.cta;" ::: "memory");
#else
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
        asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int seen = 0;
        while (seen == 0) asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        *out = *data + 1; // <- consume
    }
}
