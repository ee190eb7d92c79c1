// A game of life with cells as bits: a warp holds 32 rows of 32 cells, neighbours' rows come by shuffles, and borders of blocks from global memory of the generation before.
//@ run --entry life --grid 4 --block 32 --arg in:u32:130=iota --arg out:u32:128
//! clean
//! defect 1: invalid_mask at above
//! defect 2: out_of_bounds at border
//! defect 3: race at row and row
__device__ void add(unsigned& one, unsigned& two, unsigned& four, unsigned bit)
{
    unsigned carry = one & bit;
    one ^= bit;
    unsigned more = two & carry;
    two ^= carry;
    four |= more;
}
extern "C" __global__ void life(const unsigned* in, unsigned* out)
{
    int lane = threadIdx.x, row = blockIdx.x * 32 + lane;
    unsigned me = in[row + 1] * 2654435761u;
    unsigned above, below;
#if DEFECT == 1
    if (lane > 0) above = __shfl_up_sync(0xffffffff, me, 1); // <- above
    else above = in[row] * 2654435761u;
#else
    above = __shfl_up_sync(0xffffffff, me, 1); // <- above
    if (lane == 0) above = in[row] * 2654435761u;
#endif
    below = __shfl_down_sync(0xffffffff, me, 1);
#if DEFECT == 2
    if (lane == 31) below = in[row + 3] * 2654435761u; // <- border
#else
    if (lane == 31) below = in[row + 2] * 2654435761u; // <- border
#endif
    unsigned one = 0, two = 0, four = 0;
    for (unsigned r : {above, below}) {
        add(one, two, four, r);
        add(one, two, four, r << 1 | r >> 31);
        add(one, two, four, r >> 1 | r << 31);
    }
    add(one, two, four, me << 1 | me >> 31);
    add(one, two, four, me >> 1 | me << 31);
#if DEFECT == 3
    out[row & ~1] = two & ~four & (one | me); // <- row
    out[row | 1] = one; // <- row
#else
    out[row] = two & ~four & (one | me); // <- row
#endif
}
