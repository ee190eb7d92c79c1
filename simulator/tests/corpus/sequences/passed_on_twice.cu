// Block 1 tells block 2, which tells block 0, which reads what block 1 wrote: fences add up. Reading before one has been told is a race.
//@ run --entry relay --grid 3 --block 32 --arg inout:i32:1=zeros --arg inout:i32:2=zeros --arg out:i32:1
//! clean
//! defect 1: race at write and read
extern "C" __global__ void relay(int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 1) {
        *data = 42; // <- write
        __threadfence();
        atomicExch(&flag[0], 1);
    } else if (blockIdx.x == 2) {
        while (atomicAdd(&flag[0], 0) == 0) {}
        __threadfence();
        atomicExch(&flag[1], 1);
    } else {
#if DEFECT
        int early = *data; // <- read
        while (atomicAdd(&flag[1], 0) == 0) {}
        __threadfence();
        *out = early;
#else
        while (atomicAdd(&flag[1], 0) == 0) {}
        __threadfence();
        *out = *data;
#endif
    }
}
