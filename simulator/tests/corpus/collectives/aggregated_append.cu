// Stream compaction with one atomic for each warp and predicate: the leader of those that append draws places for all and tells them.
//@ run --entry keep --grid 3 --block 64 --arg in:i32:180=iota --arg out:i32:180 --arg inout:i32:1=zeros --arg i32:180
//! clean
//! defect 1: race at count and count
//! defect 2: invalid_mask at tell
//! defect 3: race at slot and slot
//! defect 4: out_of_bounds at load
struct Keep {
    int modulus;
    __device__ bool operator()(int v) const { return v % modulus != 0; }
};
template <class Predicate>
__device__ void compact(const int* in, int* out, int* count, int n, Predicate keep)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
#if DEFECT == 4
    int v = in[i]; // <- load
    bool mine = i < n && keep(v);
#else
    int v = i < n ? in[i] : 0; // <- load
    bool mine = i < n && keep(v);
#endif
    unsigned who = __ballot_sync(0xffffffff, mine);
    if (!mine) return;
    int leader = __ffs(who) - 1, base = 0;
    if (lane == leader) {
#if DEFECT == 1
        base = *count; // <- count
        *count = base + __popc(who); // <- count
#else
        base = atomicAdd(count, __popc(who));
#endif
    }
#if DEFECT == 2
    base = __shfl_sync(0xffffffff, base, leader); // <- tell
#else
    base = __shfl_sync(who, base, leader);
#endif
#if DEFECT == 3
    out[base + __popc(who & (1u << lane) - 1) / 2] = v; // <- slot
#else
    out[base + __popc(who & (1u << lane) - 1)] = v; // <- slot
#endif
}
extern "C" __global__ void keep(const int* in, int* out, int* count, int n)
{
    compact(in, out, count, n, Keep{3});
}
