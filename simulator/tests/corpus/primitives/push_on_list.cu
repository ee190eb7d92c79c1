// Nodes are pushed on a list by compare-and-swap of its head; the list is walked after the barrier.
//@ run --entry push --grid 1 --block 64 --arg inout:i32:64=const:-7 --arg inout:i32:1=const:-1 --arg out:i32:1
//! clean
//! defect 1: race at swing|top
//! defect 2: race at link and walk
//! defect 3: out_of_bounds at walk
extern "C" __global__ void push(int* next, int* head, int* out)
{
    int t = threadIdx.x;
#if DEFECT == 1
    next[t] = *head; // <- top
    *head = t; // <- swing
#else
    int old = atomicAdd(head, 0), seen;
    do {
        seen = old;
        next[t] = old; // <- link
        old = atomicCAS(head, seen, t);
    } while (old != seen);
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    if (t == 0) {
        int n = 0;
#if DEFECT == 3
        for (int k = *head, i = 0; i <= 64; ++i, k = next[k]) n += k; // <- walk
#elif DEFECT == 1
        n = *head;
#else
        for (int k = atomicAdd(head, 0); k >= 0; k = next[k]) ++n; // <- walk
#endif
        *out = n;
    }
}
//! label 3: counted to a number that is known before, and the compiler left the walk out; it adds the nodes up now
