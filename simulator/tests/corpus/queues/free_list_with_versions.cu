// Nodes are taken from a free list and given back; the head carries a version so that a stale compare fails.
//@ run --entry nodes --grid 2 --block 32 --arg inout:i32:8=values:1,2,3,4,5,6,7,255 --arg inout:u64:1=zeros --arg inout:i32:8=zeros
//! clean
//! defect 1: race at own
//! defect 2: race at link and next
extern "C" __global__ void nodes(int* next, unsigned long long* head, int* used)
{
    if (threadIdx.x % 16) return;
    for (int round = 0; round < 3; ++round) {
        unsigned long long old = atomicAdd(head, 0ull), seen;
        int node;
        do {
            seen = old;
            node = int(seen & 255);
            __threadfence();
#if DEFECT == 2
            int after = next[node]; // <- next
#else
            int after = atomicAdd(&next[node], 0);
#endif
            old = atomicCAS(head, seen, (seen >> 8) + 1 << 8 | after);
        } while (old != seen);
        __threadfence();
        used[node] += 1; // <- own
        old = atomicAdd(head, 0ull);
        do {
            seen = old;
#if DEFECT == 2
            next[node] = int(seen & 255); // <- link
#else
            atomicExch(&next[node], int(seen & 255)); // <- link
#endif
#if DEFECT != 1
            __threadfence();
#endif
            old = atomicCAS(head, seen, (seen >> 8) + 1 << 8 | node);
        } while (old != seen);
    }
}
