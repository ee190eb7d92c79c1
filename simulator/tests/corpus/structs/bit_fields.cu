// Fields of bits share words: who sets one writes what lies beside it, too.
//@ run --entry fields --grid 1 --block 64 --arg in:i32:64=iota --arg inout:u32:64=zeros --arg out:i32:64
//! clean
//! defect 1: race at kind|level and kind|level
//! defect 2: uninitialized_read at choose|result
//! defect 3: out_of_bounds at look|choose
struct Flags {
    unsigned kind : 4;
    unsigned level : 12;
    unsigned rest : 16;
};
__device__ __noinline__ int judged(Flags flags, const int* table)
{
    if (flags.rest > 3) return table[flags.level]; // <- choose
    return table[flags.kind]; // <- look
}
extern "C" __global__ void fields(const int* in, Flags* all, int* out)
{
    const int t = threadIdx.x;
#if DEFECT == 1
    if (t % 2) all[t / 2].kind = in[t]; // <- kind
    else all[t / 2].level = in[t]; // <- level
#else
    all[t].kind = in[t]; // <- kind
    all[t].level = in[t] / 2; // <- level
#endif
    Flags mine;
#if DEFECT == 2
    mine.kind = in[t];
    mine.level = 1;
#else
    mine = all[t];
    mine.rest = 7 * (t % 2);
#endif
#if DEFECT == 3
    mine.kind = 15;
    out[t] = judged(mine, in + 50); // <- result
#else
    out[t] = judged(mine, in); // <- result
#endif
}
