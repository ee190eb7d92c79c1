// A scan in one pass: a warp looks back over 32 blocks at a time, state and sum in one word, until it meets a prefix.
//@ run --entry scan --grid 160 --block 64 --shared 200000 --arg in:i32:160x64=iota --arg out:i32:160x64 --arg inout:u64:160=zeros --arg inout:i32:1=zeros --budget 16000000
//! clean
//! defect 1: deadlock warning at look|vote
//! defect 2: race at aggregate and look
//! defect 3: race at before and add
//! defect 4: invalid_mask at vote|down; also=uninitialized_read,deadlock
extern "C" __global__ void scan(const int* in, int* out, unsigned long long* state, int* ticket)
{
    __shared__ int tile, prefix, sums[2];
    int t = threadIdx.x, lane = t % 32;
#if DEFECT == 1
    if (t == 0) tile = blockIdx.x;
#else
    if (t == 0) tile = atomicAdd(ticket, 1);
#endif
    __syncthreads();
    int me = tile, v = in[me * 64 + t];
    for (int d = 1; d < 32; d *= 2) {
        int up = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += up;
    }
    if (lane == 31) sums[t / 32] = v;
    __syncthreads();
    int total = sums[0] + sums[1];
    if (t < 32) {
        if (lane == 0) {
            unsigned long long word = (me == 0 ? 2ull : 1ull) << 32 | (unsigned)total;
#if DEFECT == 2
            state[me] = word; // <- aggregate
#else
            atomicExch(&state[me], word); // <- aggregate
#endif
        }
        int sum = 0;
        for (int end = me; end > 0; end -= 32) { // <- look
            int at = end - 1 - lane;
            unsigned long long word = 2ull << 32;
#if DEFECT == 4
            if (at < 0) break;
#endif
            do { // <- look
                if (at >= 0) word = *(volatile unsigned long long*)&state[at]; // <- look
            } while (__any_sync(~0u, word >> 32 == 0)); // <- vote
            unsigned prefixes = __ballot_sync(~0u, word >> 32 == 2); // <- vote
            int stop = __ffs(prefixes) - 1;
            int part = prefixes == 0 || lane <= stop ? (int)(unsigned)word : 0;
            for (int d = 16; d > 0; d /= 2) part += __shfl_down_sync(~0u, part, d); // <- down
            sum += __shfl_sync(~0u, part, 0);
            if (prefixes) break;
        }
        if (lane == 0) {
            if (me > 0) atomicExch(&state[me], 2ull << 32 | (unsigned)(sum + total));
            prefix = sum; // <- before
        }
    }
#if DEFECT != 3
    __syncthreads();
#endif
    int before = prefix + (t >= 32 ? sums[0] : 0); // <- add
    out[me * 64 + t] = v + before;
}
