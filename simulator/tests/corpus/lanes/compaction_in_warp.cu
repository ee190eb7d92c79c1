// Kept values move to the front of a warp's own part of shared memory; the count comes by a vote.
//@ run --entry keep --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: uninitialized_read at get
//! defect 2: race at put and get
extern "C" __global__ void keep(const int* in, int* out)
{
    __shared__ int s[2][32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, v = in[t];
    unsigned kept = __ballot_sync(0xffffffff, v % 3 != 0);
    if (v % 3 != 0) {
        s[warp][__popc(kept & (1u << lane) - 1)] = v; // <- put
    }
#if DEFECT != 2
    __syncwarp();
#endif
    int n = __popc(kept);
#if DEFECT == 1
    out[t] = lane <= n ? s[warp][lane] : 0; // <- get
#else
    out[t] = lane < n ? s[warp][lane] : 0; // <- get
#endif
}
