// Lanes with equal keys find each other; the lowest of each group adds once for all of them.
//@ run --entry group --grid 1 --block 32 --arg in:i32:32=iota --arg inout:i32:4=zeros --arg out:i32:32
//! clean
//! defect 1: invalid_mask at tell
extern "C" __global__ void group(const int* in, int* sums, int* out)
{
    int t = threadIdx.x, key = in[t] % 4;
    unsigned peers = __match_any_sync(0xffffffff, key);
    int leader = __ffs(peers) - 1, before = 0;
    if (t == leader) before = atomicAdd(&sums[key], __popc(peers));
#if DEFECT
    if (key < 3) {
        before = __shfl_sync(0xffffffff, before, leader); // <- tell
    }
#else
    if (key < 3) {
        before = __shfl_sync(peers, before, leader);
    }
#endif
    out[t] = before + __popc(peers & (1u << t) - 1);
}
