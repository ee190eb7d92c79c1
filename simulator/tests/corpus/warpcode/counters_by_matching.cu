// Lanes with the same bin elect one that adds for all; the base comes back by a shuffle among those lanes.
//@ run --entry bins --grid 2 --block 64 --arg in:i32:128=iota --arg inout:i32:8=zeros --arg out:i32:128
//! clean
//! defect 1: race at add
//! defect 2: invalid_mask at back; also=uninitialized_read
//! defect 3: invalid_mask|uninitialized_read at back|out
extern "C" __global__ void bins(const int* in, int* counts, int* out)
{
    int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x & 31, bin = in[i] * in[i] % 8;
    unsigned same = __match_any_sync(~0u, bin);
    int leader = 31 - __clz(same), base = 0;
    if (lane == leader) {
#if DEFECT == 1
        base = counts[bin]; // <- add
        counts[bin] = base + __popc(same); // <- add
#else
        base = atomicAdd(&counts[bin], __popc(same));
#endif
    }
#if DEFECT == 2
    if (lane != leader) base = __shfl_sync(same, base, leader); // <- back
#elif DEFECT == 3
    base = __shfl_sync(same, base, (leader + 1) % 32); // <- back
#else
    base = __shfl_sync(same, base, leader);
#endif
    out[i] = base + __popc(same & (1u << lane) - 1); // <- out
}
