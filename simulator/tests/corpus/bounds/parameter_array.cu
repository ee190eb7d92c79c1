// Coefficients come by value in a struct of parameters.
//@ run --entry weigh --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32 --arg i32:4
//! clean
//! defect 1: out_of_bounds at weight; arg2=i32:100000
struct Weights {
    int n;
};
extern "C" __global__ void weigh(const int* in, int* out, Weights weights)
{
    int own[4] = {1, 2, 3, 4};
    int at = (in[threadIdx.x] * 7) % weights.n;
    out[threadIdx.x] = in[threadIdx.x] * own[at]; // <- weight
}
