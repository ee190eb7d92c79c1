// Ballots, any/all, match, warp-wide integer reductions, lane masks, and the active mask inside a branch.
//@ run --entry votes --grid 1 --block 64 --arg in:i32:64=opcodes.npy --arg out:u32:17x64
// save: 1
// reference: votes

extern "C" __global__ void votes(const int* in, unsigned* out)
{
    const unsigned all = 0xffffffffu;
    int i = threadIdx.x, n = blockDim.x, lane = i % 32;
    int v = in[i];
    int row = 0, same;
    auto put = [&](unsigned value) { out[row++ * n + i] = value; };
    put(__ballot_sync(all, v > 4));
    put(__any_sync(all, v == 3));
    put(__all_sync(all, v < 12));
    put(__match_any_sync(all, v));
    put(__match_any_sync(all, (long long)(v & 3) << 33));
    put(__match_all_sync(all, v, &same));
    put(same);
    put(__match_all_sync(all, 42, &same));
    put(same);
    put(__reduce_add_sync(all, v));
    put(__reduce_min_sync(all, v - 6));
    put(__reduce_max_sync(all, v - 20));
    put(__reduce_and_sync(all, (unsigned)v | 0x40u));
    put(__reduce_or_sync(all, 1u << v));
    put(__reduce_xor_sync(all, 1u << v));
    unsigned below, from;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(from));
    put(below ^ from);
    unsigned fine = 0;
    if (lane % 3 == 0) {
        unsigned active = __activemask();
        // Which lanes are converged here is not promised; that I am and that the other branch is not, is.
        fine = (active >> lane & 1) && (active & ~0x49249249u) == 0;
    } else {
        unsigned active = __activemask();
        fine = (active >> lane & 1) && (active & 0x49249249u) == 0;
    }
    put(fine);
}
