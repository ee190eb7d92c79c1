// Every element moves up by one place: from one buffer to another that is right, within one buffer it is not.
//@ run --entry shift --grid 2 --block 64 --arg inout:i32:129=iota --arg out:i32:129
//! clean
//! defect 1: race at move; arg1=same:0
extern "C" __global__ void shift(const int* from, int* to)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    to[i + 1] = from[i]; // <- move
}
