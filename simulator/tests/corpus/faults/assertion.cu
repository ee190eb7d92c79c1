// Holds for all threads but the last.
//! launch check grid=2 block=48 in:i32:96=iota out:i32:96 i32:96
//! clean
//! defect 1: assertion at assert; arg2=i32:95
#include <assert.h>
extern "C" __global__ void check(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(in[i] < n); // <- assert
    out[i] = in[i] + n;
}
