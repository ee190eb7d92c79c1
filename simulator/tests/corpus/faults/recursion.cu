// Counts down by two; an odd start never meets the base case.
//@ run --entry count --grid 1 --block 32 --arg out:i32:32 --arg i32:8
//! clean
//! defect 1: stack_overflow at recurse|call|start; arg1=i32:9
__device__ __noinline__ int steps(int n) // <- start
{
    if (n == 0) return 0;
    volatile int here = n;
    return steps(n - 2) + here; // <- recurse
}
extern "C" __global__ void count(int* out, int n)
{
    out[threadIdx.x] = steps(n); // <- call
}
