// A ballot finds the lanes that have work; the others return. What remains of the warp sorts pairs through shared memory, by the ballot's mask.
//@ run --entry pairs --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: invalid_mask warning at meet
//! defect 2: race at put and get
extern "C" __global__ void pairs(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, lane = t & 31, v = in[t];
    unsigned mask = __ballot_sync(0xffffffff, v & 2);
    if (!(v & 2)) return;
    s[t] = v * 7 % 13; // <- put
#if DEFECT == 1
    __syncwarp(); // <- meet
#elif DEFECT == 2
    __syncwarp(1u << lane);
#else
    __syncwarp(mask);
#endif
    int mine = s[t], other = s[t ^ 1]; // <- get
    out[t] = lane & 1 ? max(mine, other) : min(mine, other);
    if (mask == 0) out[t] = -1;
}
