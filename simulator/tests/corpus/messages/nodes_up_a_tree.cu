// Boxes of a tree from the leaves up: of the two that come to a node the first leaves, and the second, who knows that both are done, goes on.
//@ run --entry refit --grid 4 --block 16 --arg in:i32:64=iota --arg inout:i32:127=zeros --arg inout:i32:127=zeros --arg out:i32:1
//! clean
//! defect 1: race at give|join and join
//! defect 2: race at give|join and join
//! defect 3: race at give|join and join
//! defect 4: out_of_bounds at visit|join
extern "C" __global__ void refit(const int* leaf, int* most, int* visits, int* top)
{
    int node = 63 + blockIdx.x * 16 + threadIdx.x;
    most[node] = leaf[node - 63] * 37 % 64; // <- give
    for (;;) {
#if DEFECT != 1
        __threadfence();
#endif
#if DEFECT == 4
        node = (node - 1) / 2 - (node == 0);
        if (atomicAdd(&visits[node], 1) == 0) return; // <- visit
#elif DEFECT == 2
        if (node == 0) break;
        node = (node - 1) / 2;
        if (atomicAdd(&visits[node], 1) == 1) return; // <- visit
#else
        if (node == 0) break;
        node = (node - 1) / 2;
        if (atomicAdd(&visits[node], 1) == 0) return; // <- visit
#endif
#if DEFECT != 3
        __threadfence();
#endif
        most[node] = max(most[2 * node + 1], most[2 * node + 2]); // <- join
    }
    *top = most[0];
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
