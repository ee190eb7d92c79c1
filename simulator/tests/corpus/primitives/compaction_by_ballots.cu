// Keeps the positive elements: positions by ballots in the warp, by a scan of warps' counts in the block, by one atomic in the grid.
//@ run --entry keep --grid 2 --block 96 --arg in:i32:192=iota --arg inout:i32:1=zeros --arg out:i32:192
//! clean
//! defect 1: race at tell and offset
//! defect 2: race at count and scan
//! defect 3: race at base
//! defect 4: uninitialized_read at scan|tell|offset|put; also=out_of_bounds
extern "C" __global__ void keep(const int* in, int* total, int* out)
{
    __shared__ int counts[4];
    __shared__ int base;
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    int v = in[blockIdx.x * 96 + t];
    bool mine = v * 5 % 7 < 4;
    unsigned all = __ballot_sync(~0u, mine);
    if (lane == 0) counts[warp] = __popc(all); // <- count
#if DEFECT != 2
    __syncthreads();
#endif
    if (t == 0) {
        int sum = 0;
#if DEFECT == 4
        for (int w = 0; w < 4; ++w) {
#else
        for (int w = 0; w < 3; ++w) {
#endif
            int n = counts[w]; // <- scan
            counts[w] = sum;
            sum += n;
        }
#if DEFECT == 3
        base = *total; // <- base
        *total = base + sum; // <- base
#else
        base = atomicAdd(total, sum); // <- tell
#endif
    }
#if DEFECT != 1
    __syncthreads();
#endif
    int at = base + counts[warp] + __popc(all & (1u << lane) - 1); // <- offset
    if (mine) {
        out[at] = v; // <- put
    }
}
