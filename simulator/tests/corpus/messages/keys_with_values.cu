// A hash table of words of 64 bits: key and value go in by one compare-and-swap; a second pass after a grid's sync looks them up.
//@ run --entry store --grid 2 --block 32 --cooperative --arg inout:u64:128=zeros --arg out:i32:64 --budget 4000000
//! clean
//! defect 1: race at value|probe and value
//! defect 2: race at probe and find; also=deadlock
//! defect 3: out_of_bounds at probe
//! defect 4: race at probe and claim
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void store(unsigned long long* slot, int* out)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    unsigned key = i * 7 % 48 + 1, at = key * 40503u >> 4 & 127;
    unsigned long long word = (unsigned long long)key << 32 | key * 3;
#if DEFECT == 3
    at = key * 40503u >> 4 & 255;
#endif
    for (;;) {
#if DEFECT == 4
        if (slot[at] == 0) { // <- probe
            slot[at] = word; // <- claim
            break;
        }
        if (slot[at] >> 32 == key) break; // <- probe
#else
        unsigned long long seen = atomicCAS(&slot[at], 0ull, word); // <- probe
        if (seen == 0 || seen >> 32 == key) break;
#endif
        at = at + 1 & 127;
    }
#if DEFECT == 1
    ((unsigned*)&slot[at])[0] = key * 3 + i; // <- value
#endif
#if DEFECT == 2
    __syncthreads();
#else
    cg::this_grid().sync();
#endif
    unsigned want = (63 - i) * 7 % 48 + 1, p = want * 40503u >> 4 & 127;
    while (slot[p] >> 32 != want) p = p + 1 & 127; // <- find
    out[i] = (int)slot[p]; // <- find
}
