// Structures in an array in a structure: items are chosen by data, in the parameter and in a copy of it that is changed.
//@ run --entry items --grid 1 --block 32
//@ run --arg bytes:0100_0000_0a000000_01000000_0200_0000_14000000_02000000_0300_0000_1e000000_03000000_0400_0000_28000000_04000000_0500_0000_32000000_05000000_0600_0000_3c000000_06000000_06000000
//@ run --arg in:i32:32=iota --arg out:i32:32
//! clean
//! defect 1: out_of_bounds|uninitialized_read at pick
//! defect 2: uninitialized_read at change|result
//! defect 3: out_of_bounds at change
//! defect 4: race at result and result
struct Item {
    short a;
    int b;
    char c;
};
struct Items {
    Item item[6];
    int count;
};
extern "C" __global__ void items(const Items list, const int* in, int* out)
{
    const int t = threadIdx.x;
#if DEFECT == 1
    const int b = list.item[in[t] % (list.count + 1)].b; // <- pick
#else
    const int b = list.item[in[t] % list.count].b; // <- pick
#endif
    Items mine;
#if DEFECT == 2
    mine.item[0] = list.item[0];
#else
    mine = list;
#endif
#if DEFECT == 3
    mine.item[in[t] * 3].c += b; // <- change
#else
    mine.item[in[t] % 6].c += b; // <- change
#endif
    int sum = b;
    for (int k = 0; k < 6; ++k) sum += mine.item[k].c;
#if DEFECT == 4
    out[mine.item[t % 6].a] = sum + t; // <- result
#else
    out[t] = sum; // <- result
#endif
}
//! label 1: another kind was not allowed: the compiler puts the parameter's copy and `mine` side by side into one frame of local memory, and what lies behind the one is the other, which nobody has set yet
