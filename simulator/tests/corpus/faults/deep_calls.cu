// A recursive sum, as deep as its argument.
//@ run --entry sum --grid 1 --block 1 --arg in:i32:64=iota --arg out:i32:1 --arg i32:40
//! clean
//! defect 1: stack_overflow at again|enter; arg2=i32:2000000000
__device__ __noinline__ int add(const int* in, int n) // <- enter
{
    volatile int room[16];
    room[n % 16] = n;
    if (n == 0) return room[0];
    return add(in, n - 1) + in[n % 64] + room[n % 16]; // <- again
}
extern "C" __global__ void sum(const int* in, int* out, int n)
{
    *out = add(in, n);
}
