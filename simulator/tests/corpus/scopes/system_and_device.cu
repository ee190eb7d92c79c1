// A counter that the host may watch: atomics of system scope, and within the device of device scope, exclude each other. A plain
// increment excludes nobody.
//@ run --entry watch --grid 4 --block 32 --arg inout:i32:1=zeros
//! clean
//! defect 1: race at plain
extern "C" __global__ void watch(int* count)
{
    if (threadIdx.x == 0) {
        atomicAdd_system(count, 1);
    } else if (threadIdx.x == 1) {
        atomicAdd(count, 1); // <- count
    } else if (threadIdx.x == 2) {
#if DEFECT
        *count += 1; // <- plain
#else
        atomicAdd(count, 1);
#endif
    }
}
