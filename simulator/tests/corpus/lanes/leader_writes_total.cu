// The leader of each group of equal keys writes the group's size: one writer per key, or every lane.
//@ run --entry sizes --grid 1 --block 32 --arg in:i32:32=iota --arg inout:i32:8=zeros
//! clean
//! defect 1: race at write
extern "C" __global__ void sizes(const int* in, int* count)
{
    int t = threadIdx.x, key = in[t] % 8;
    unsigned peers = __match_any_sync(0xffffffff, key);
#if DEFECT
    count[key] += __popc(peers); // <- write
#else
    if (t == __ffs(peers) - 1) count[key] += __popc(peers);
#endif
}
