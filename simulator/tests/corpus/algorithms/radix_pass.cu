// One pass of a radix sort by two bits within a block: votes, ranks in a warp, counts by warp and digit, scattered through shared memory.
//@ run --entry pass --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at count and base
//! defect 2: race at scatter
extern "C" __global__ void pass(const int* in, int* out)
{
    __shared__ int counts[4][4];
    __shared__ int sorted[128];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int v = in[t] * 7 % 128, digit = v & 3, rank = 0;
    for (int d = 0; d < 4; ++d) {
        unsigned votes = __ballot_sync(0xffffffff, digit == d);
        if (digit == d) rank = __popc(votes & (1u << lane) - 1);
        if (lane == 0) {
            counts[d][warp] = __popc(votes); // <- count
        }
    }
#if DEFECT != 1
    __syncthreads();
#endif
    int base = 0;
    for (int k = 0; k < digit * 4 + warp; ++k) {
        base += counts[k / 4][k % 4]; // <- base
    }
#if DEFECT == 2
    sorted[base + rank / 2] = v; // <- scatter
#else
    sorted[base + rank] = v; // <- scatter
#endif
    __syncthreads();
    out[t] = sorted[t];
}
