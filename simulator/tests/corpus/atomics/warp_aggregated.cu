// One atomic for a warp: the leader reserves room, every lane takes its rank in it.
//@ run --entry evens --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --arg inout:i32:1=zeros
//! clean
//! defect 1: race at place
extern "C" __global__ void evens(const int* in, int* out, int* n)
{
    int v = in[threadIdx.x], lane = threadIdx.x % 32;
    bool wanted = v % 2 == 0;
    unsigned votes = __ballot_sync(0xffffffff, wanted);
    int base = 0;
    if (lane == 0) base = atomicAdd(n, __popc(votes));
    base = __shfl_sync(0xffffffff, base, 0);
#if DEFECT
    int rank = __popc(votes & (1u << lane) - 1) / 2;
#else
    int rank = __popc(votes & (1u << lane) - 1);
#endif
    if (wanted) {
        out[base + rank] = v; // <- place
    }
}
