// The last block puts the counter back for the next launch. Any block that has drawn may do so only if it is the last.
//@ run --entry draw --grid 4 --block 32 --arg inout:u32:1=zeros --arg out:i32:8
//! clean
//! defect 1: race at back and draw
extern "C" __global__ void draw(unsigned* count, int* out)
{
    if (threadIdx.x != 0) return;
    unsigned mine = atomicAdd(count, 1); // <- draw
    out[mine] = blockIdx.x;
#if DEFECT
    if (mine == 1) *count = 0; // <- back
#else
    if (mine == gridDim.x - 1) *count = 0;
#endif
}
