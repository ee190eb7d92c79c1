// A recursion whose end is never reached.
//@ run --entry endless --grid 1 --block 32 --arg in:i32:32=zeros --arg out:i32:32
// status: finished|faulted
// expect: stack_overflow error @ recursion|frame|body

__device__ __noinline__ int descend(const int* in, int depth)
{
    volatile int frame[16]; // <- frame
    frame[depth & 15] = depth; // <- body
    if (in[depth & 31] == 1) return 0;
    int below = descend(in, depth + 1); // <- recursion
    return below * 3 + frame[depth & 15];
}

extern "C" __global__ void endless(const int* in, int* out) { out[threadIdx.x] = descend(in, threadIdx.x); }
