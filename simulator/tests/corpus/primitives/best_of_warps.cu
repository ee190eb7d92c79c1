// The best of many with its place: lanes by shuffles, warps by shared memory, the first warp goes over the warps' results.
//@ run --entry best --grid 1 --block 256 --arg in:i32:256=iota --arg out:i32:2
//! clean
//! defect 1: race at keep and fetch
//! defect 2: uninitialized_read at choose|put
//! defect 3: invalid_mask at second; also=uninitialized_read
struct Best {
    int value, place;
};
__device__ Best better(Best a, Best b) { return b.value > a.value || b.value == a.value && b.place < a.place ? b : a; } // <- choose
extern "C" __global__ void best(const int* in, int* out)
{
    __shared__ Best s[32];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    Best mine = {in[t] * 89 % 101, t};
    for (int d = 16; d; d >>= 1) {
        Best other = {__shfl_xor_sync(~0u, mine.value, d), __shfl_xor_sync(~0u, mine.place, d)};
        mine = better(mine, other);
    }
    if (lane == 0) s[warp] = mine; // <- keep
#if DEFECT != 1
    __syncthreads();
#endif
    if (warp == 0) {
#if DEFECT == 2
        mine = s[lane];
#else
        mine = lane < 8 ? s[lane] : Best{-1, 0}; // <- fetch
#endif
#if DEFECT == 3
        if (lane < 8)
#endif
        for (int d = 4; d; d >>= 1) {
            Best other = {__shfl_down_sync(~0u, mine.value, d), __shfl_down_sync(~0u, mine.place, d)}; // <- second
            mine = better(mine, other);
        }
#if DEFECT == 2
        for (int d = 16; d > 4; d >>= 1) {
            Best other = {__shfl_down_sync(~0u, mine.value, d), __shfl_down_sync(~0u, mine.place, d)};
            mine = better(mine, other);
        }
#endif
        if (lane == 0) {
            out[0] = mine.value; // <- put
            out[1] = mine.place; // <- put
        }
    }
}
