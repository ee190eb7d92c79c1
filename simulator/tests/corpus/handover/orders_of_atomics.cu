// A row is published by a store with release and taken by a load with acquire, of a scope that reaches both blocks.
//@ run --entry publish --grid 2 --block 32 --arg inout:i32:8=zeros --arg inout:i32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at write and read
//! defect 2: race at store|load
//! defect 3: race at write and read
extern "C" __global__ void publish(int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        for (int k = 0; k < 8; ++k) data[k] = k * 3; // <- write
#if DEFECT == 1
        asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
#elif DEFECT == 2
        asm volatile("st.release.cta.global.s32 [%0], 1;" ::"l"(flag) : "memory"); // <- store
#else
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
#endif
    } else {
        int seen = 0;
        while (seen == 0) {
#if DEFECT == 3
            asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
#else
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory"); // <- load
#endif
        }
        int sum = 0;
        for (int k = 0; k < 8; ++k) sum += data[k]; // <- read
        *out = sum;
    }
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
