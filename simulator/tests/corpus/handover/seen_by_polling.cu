// Reading what others change atomically: by an atomic that adds nothing, as volatile or relaxed. A plain look races.
//@ run --entry poll --grid 2 --block 64 --arg inout:i32:4=zeros --arg out:i32:128
//! clean
//! defect 1: race at plain and count
//! defect 2: race at vector and count
extern "C" __global__ void poll(int* counters, int* out)
{
    int i = blockIdx.x * 64 + threadIdx.x, seen;
    atomicAdd(&counters[i % 3], 1); // <- count
    if (i % 4 == 0) {
        seen = atomicAdd(&counters[1], 0);
    } else if (i % 4 == 1) {
        seen = *(volatile int*)&counters[2];
    } else if (i % 4 == 2) {
        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(counters) : "memory");
    } else {
#if DEFECT == 1
        seen = counters[0]; // <- plain
#elif DEFECT == 2
        int4 all = *(int4*)counters; // <- vector
        seen = all.x + all.y + all.z;
#else
        seen = atomicOr(&counters[0], 0);
#endif
    }
    out[i] = seen;
}
