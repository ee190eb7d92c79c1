// A struct of parameters that stays where it is; an index past it leaves the kernel's parameters.
//@ run --entry weigh --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32 --arg i32:3
//! clean
//! defect 1: out_of_bounds at weight; arg2=i32:40
struct Weights {
    int n;
};
extern "C" __global__ void weigh(const int* in, int* out, const __grid_constant__ Weights weights)
{
    const int* values = &weights.n;
    int at = in[threadIdx.x] % 2 * (weights.n - 3);
    out[threadIdx.x] = in[threadIdx.x] * values[at]; // <- weight
}
