// Two pointers and a length travel in one structure, which a function takes and gives by value.
//@ run --entry shift --grid 3 --block 32 --arg inout:i32:65=iota --arg in:i32:65=iota --arg i32:64
//! clean
//! defect 1: race at move and move; arg1=same:0
//! defect 2: out_of_bounds at move; arg2=i32:66
//! defect 3: out_of_bounds at move
//! defect 4: race at move and move; --grid 3,2
struct Views {
    const int* from;
    int* to;
    int count;
};
__device__ __noinline__ Views rest(Views views, int by)
{
#if DEFECT == 3
    return {views.from + by, views.to + by, views.count};
#else
    return {views.from + by, views.to + by, views.count - by};
#endif
}
__device__ __noinline__ void step(Views views, int i)
{
    if (i < views.count) views.to[i] = views.from[i + 1] + blockIdx.y; // <- move
}
extern "C" __global__ void shift(int* to, const int* from, int count)
{
    Views views{from, to, count};
    views = rest(views, 1);
    step(views, blockIdx.x * blockDim.x + threadIdx.x);
}
