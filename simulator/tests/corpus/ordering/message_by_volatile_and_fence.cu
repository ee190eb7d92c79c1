// A message from block to block: data, fence, flag by volatile; the other side looks by volatile and fences.
//@ run --entry message --grid 2 --block 32 --arg inout:i32:32=zeros --arg inout:i32:1=zeros --arg out:i32:32
//! clean
//! defect 1: race at fill and drain
//! defect 2: race at raise|ask
//! defect 3: race at fill and drain
//! defect 4: race at fill and drain
extern "C" __global__ void message(int* data, int* flag, int* out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t * t; // <- fill
        __syncwarp();
#if DEFECT == 4
        if (t == 0) __threadfence_block();
#elif DEFECT != 1
        if (t == 0) __threadfence();
#endif
#if DEFECT == 2
        if (t == 0) *flag = 1; // <- raise
#else
        if (t == 0) *(volatile int*)flag = 1;
#endif
    } else {
        if (t == 0) {
#if DEFECT == 2
            while (*flag == 0) __threadfence(); // <- ask
#else
            while (*(volatile int*)flag == 0) {}
#endif
        }
#if DEFECT != 3
        __threadfence();
#endif
        __syncwarp();
        out[t] = data[31 - t]; // <- drain
    }
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
