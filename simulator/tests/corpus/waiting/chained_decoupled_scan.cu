// A scan in one pass: each block, numbered by a ticket, publishes its sum in a word together with a flag, and looks back over those before it.
//@ run --entry scan --grid 140 --block 64 --shared 229000 --arg inout:u32:1=zeros --arg inout:u64:140=zeros --arg in:i32:8960=iota --arg out:i32:8960 --budget 8000000
//! clean
//! defect 1: race at prefix and add
//! defect 2: deadlock at look
//! defect 3: deadlock warning at look
//! defect 4: race at publish and look
extern "C" __global__ void scan(unsigned* ticket, unsigned long long* state, const int* in, int* out)
{
    __shared__ int sums[2], before;
    __shared__ unsigned number;
    int t = threadIdx.x, lane = t & 31;
#if DEFECT == 3
    if (t == 0) number = blockIdx.x;
#else
    if (t == 0) number = atomicAdd(ticket, 1u);
#endif
    __syncthreads();
    unsigned me = number;
    int v = in[me * 64 + t];
    for (int d = 1; d < 32; d *= 2) {
        int up = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += up;
    }
    if (lane == 31) sums[t / 32] = v;
    __syncthreads();
    if (t >= 32) v += sums[0];
    if (t == 0) {
        unsigned all = sums[0] + sums[1], sum = 0;
#if DEFECT == 4
        state[me] = (me == 0 ? 2ull : 1ull) << 32 | all; // <- publish
#elif DEFECT == 2
        if (me != 1) atomicExch(&state[me], (me == 0 ? 2ull : 1ull) << 32 | all);
#else
        atomicExch(&state[me], (me == 0 ? 2ull : 1ull) << 32 | all); // <- publish
#endif
        for (int b = (int)me - 1; b >= 0;) { // <- look
            unsigned long long seen = *(volatile unsigned long long*)&state[b]; // <- look
            if (seen >> 32 == 0) continue; // <- look
            sum += (unsigned)seen;
            if (seen >> 32 == 2) break;
            --b;
        }
#if DEFECT == 2
        if (me > 1)
#endif
        if (me > 0) atomicExch(&state[me], 2ull << 32 | (sum + all)); // <- publish
        before = sum; // <- prefix
    }
#if DEFECT != 1
    __syncthreads();
#endif
    out[me * 64 + t] = v + before; // <- add
}
//! label 2: the mark missed the head of the loop
//! label 3: all five blocks ran at once, and then waiting for a lower number needs no order; now there are more than fit
