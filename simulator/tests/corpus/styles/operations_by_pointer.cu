// What a thread does is chosen from a table of functions.
//@ run --entry run --grid 1 --block 64 --arg inout:i32:64=iota
//! clean
//! defect 1: race at other and own
using Operation = void (*)(int*, int);
__device__ void own(int* data, int i)
{
    data[i] += 5; // <- own
}
__device__ void twice(int* data, int i)
{
    data[i] *= 2;
}
__device__ void other(int* data, int i)
{
    data[i ^ 3] = i; // <- other
}
#if DEFECT
__device__ Operation table[3] = {own, twice, other};
#else
__device__ Operation table[3] = {own, twice, own};
#endif
extern "C" __global__ void run(int* data)
{
    table[threadIdx.x % 3](data, threadIdx.x);
}
