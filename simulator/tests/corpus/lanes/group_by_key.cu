// Lanes with the same key find each other and their leader counts them all; the count is told to the group, or to a full mask.
//@ run --entry keys --grid 1 --block 32 --arg in:i32:32=iota --arg inout:i32:4=zeros --arg out:i32:32
//! clean
//! defect 1: invalid_mask at tell
extern "C" __global__ void keys(const int* in, int* bins, int* out)
{
    int t = threadIdx.x;
    int key = in[t] % 4;
    unsigned group = __match_any_sync(0xffffffff, key);
    int leader = __ffs(group) - 1;
    int first = 0;
    if (t == leader) first = atomicAdd(&bins[key], __popc(group));
    if (key < 2) {
#if DEFECT
        first = __shfl_sync(0xffffffff, first, leader); // <- tell
#else
        first = __shfl_sync(group, first, leader);
#endif
    }
    out[t] = first;
}
