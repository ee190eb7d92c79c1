// Holds for all threads but the last.
//@ run --entry check --grid 2 --block 48 --arg in:i32:96=iota --arg out:i32:96 --arg i32:96
//! clean
//! defect 1: assertion at assert; arg2=i32:95
#include <assert.h>
extern "C" __global__ void check(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(in[i] < n); // <- assert
    out[i] = in[i] + n;
}
