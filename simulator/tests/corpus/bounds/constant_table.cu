// A table in constant memory has eight entries.
//@ run --entry look_up --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: out_of_bounds at entry
__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
extern "C" __global__ void look_up(const int* in, int* out)
{
#if DEFECT
    int at = in[threadIdx.x] % 9;
#else
    int at = in[threadIdx.x] % 8;
#endif
    out[threadIdx.x] = table[at]; // <- entry
}
