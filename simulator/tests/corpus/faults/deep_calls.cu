// A recursive sum, as deep as its argument.
//! launch sum grid=1 block=1 in:i32:64=iota out:i32:1 i32:40
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
