// Decoupled look-back with status and value in one 64-bit word, which needs no fence; in two words it needs them.
//@ run --entry scan --grid 4 --block 32 --arg in:i32:4=iota --arg inout:u64:4=zeros --arg inout:i32:4=zeros --arg inout:i32:1=zeros --arg out:i32:4
//! clean
//! defect 1: race at value and look
extern "C" __global__ void scan(const int* in, unsigned long long* state, int* values, int* ticket, int* out)
{
    if (threadIdx.x != 0) return;
    int me = atomicAdd(ticket, 1), before = 0;
    if (me > 0) {
        unsigned long long seen;
        while (((seen = atomicAdd(&state[me - 1], 0ull)) >> 32) == 0) {}
#if DEFECT
        before = values[me - 1]; // <- look
#else
        before = (int)(unsigned)seen;
#endif
    }
    int mine = before + in[me] + 1;
#if DEFECT
    values[me] = mine; // <- value
#endif
    atomicExch(&state[me], 1ull << 32 | (unsigned)mine);
    out[me] = mine;
}
