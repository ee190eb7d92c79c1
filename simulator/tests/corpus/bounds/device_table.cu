// A table in device memory with a key that may be one too large.
//@ run --entry look_up --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: out_of_bounds at table
//! defect 2: out_of_bounds at constant
__device__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant__ int weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
extern "C" __global__ void look_up(const int* in, int* out)
{
    int v = in[threadIdx.x];
#if DEFECT == 1
    int a = table[v % 17]; // <- table
#else
    int a = table[v % 16];
#endif
#if DEFECT == 2
    int b = weights[(v + 7) / 4 % 9]; // <- constant
#else
    int b = weights[(v + 7) / 4 % 8];
#endif
    out[threadIdx.x] = a * b;
}
