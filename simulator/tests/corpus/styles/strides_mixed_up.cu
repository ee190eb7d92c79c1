// A stride of the grid, and of the block where the block starts at its own part.
//@ run --entry squares --grid 3 --block 32 --arg in:i32:192=iota --arg out:i32:192
//! clean
//! defect 1: race at put
//! defect 2: race|out_of_bounds at put
struct Range {
    int first, last, step;
};
__device__ Range part(int n)
{
#if DEFECT == 1
    return {int(blockIdx.x * 32 + threadIdx.x), n, 32};
#elif DEFECT == 2
    return {int(blockIdx.x * 64 + threadIdx.x), int(blockIdx.x + 1) * 64 + 1, 32};
#else
    return {int(blockIdx.x * 64 + threadIdx.x), int(blockIdx.x + 1) * 64, 32};
#endif
}
extern "C" __global__ void squares(const int* in, int* out)
{
    Range r = part(192);
    for (int i = r.first; i < r.last; i += r.step) {
        int v = i < 192 ? in[i] : 0;
        out[i] = v * v + blockIdx.x; // <- put
    }
}
