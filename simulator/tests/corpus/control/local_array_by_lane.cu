// A local array with an index that only data tells, and a pointer to it that goes through a function.
//@ run --entry locals --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: out_of_bounds at store
//! defect 2: uninitialized_read at sum|out
//! defect 3: out_of_bounds at load; also=uninitialized_read
__device__ __noinline__ int sum_of(const int* a, int n)
{
    int sum = 0;
    for (int k = 0; k < n; ++k) sum += a[k]; // <- load
    return sum; // <- sum
}
extern "C" __global__ void locals(const int* in, int* out)
{
    int a[10];
    int t = threadIdx.x;
#if DEFECT == 2
    for (int k = 0; k < 9; ++k) a[k] = k;
#else
    for (int k = 0; k < 10; ++k) a[k] = k;
#endif
#if DEFECT == 1
    a[in[t] % 11] = t; // <- store
#else
    a[in[t] % 9] = t; // <- store
#endif
#if DEFECT == 3
    out[t] = sum_of(a, 11); // <- out
#else
    out[t] = sum_of(a, 10); // <- out
#endif
}
