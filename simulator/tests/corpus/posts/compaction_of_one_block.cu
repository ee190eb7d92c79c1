// Stream compaction: ballots in the warps, a scan of the warps' counts by the first warp, then everybody writes.
//@ run --entry compact --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128 --arg out:i32:1
//! clean
//! defect 1: race at count and scan
//! defect 2: race at scan and place
//! defect 3: invalid_mask at vote; also=race
//! defect 4: race at place
//! defect 5: uninitialized_read at scan|up|place; also=race
extern "C" __global__ void compact(const int* in, int* out, int* total)
{
    __shared__ int warps[4];
    int t = threadIdx.x, lane = t % 32, w = t / 32, v = in[t];
    bool keep = v % 3 == 1;
#if DEFECT == 3
    unsigned votes = 0;
    if (v % 2 == 0 || keep) votes = __ballot_sync(~0u, keep); // <- vote
#else
    unsigned votes = __ballot_sync(~0u, keep);
#endif
#if DEFECT == 5
    if (lane == 0 && votes != 0 && w != 2) warps[w] = __popc(votes); // <- count
#else
    if (lane == 0) warps[w] = __popc(votes); // <- count
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    if (w == 0) {
        int n = lane < 4 ? warps[lane] : 0; // <- scan
        for (int d = 1; d < 4; d *= 2) {
            int up = __shfl_up_sync(~0u, n, d); // <- up
            if (lane >= d) n += up; // <- up
        }
        if (lane < 4) warps[lane] = n; // <- scan
        if (lane == 3) *total = n; // <- scan
    }
#if DEFECT != 2
    __syncthreads();
#endif
    int before = w > 0 ? warps[w - 1] : 0; // <- place
#if DEFECT == 4
    if (keep) out[before + __popc(votes & (1u << lane) - 1) / 2] = v; // <- place
#else
    if (keep) out[before + __popc(votes & (1u << lane) - 1)] = v; // <- place
#endif
}
//! label 5: named no consequence; places that nobody counted are others' places
