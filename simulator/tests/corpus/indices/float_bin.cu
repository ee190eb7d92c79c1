// The bin of a number in [0, 1]: exactly 1 falls into the bin behind the last.
//@ run --entry bins --grid 1 --block 64 --arg in:i32:64=iota --arg inout:i32:8=zeros
//! clean
//! defect 1: out_of_bounds at bin
extern "C" __global__ void bins(const int* in, int* count)
{
    float x = in[threadIdx.x] / 63.0f;
    int bin = (int)(x * 8);
#if !DEFECT
    bin = min(bin, 7);
#endif
    atomicAdd(&count[bin], 1); // <- bin
}
