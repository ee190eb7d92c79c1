// Nodes pushed onto a list by compare-and-swap, counted after a barrier. The link must be set before the node is published.
//@ run --entry push --grid 1 --block 64 --arg out:i32:64 --arg out:i32:1
//! clean
//! defect 1: race at link|walk
extern "C" __global__ void push(int* next, int* sum)
{
    __shared__ int head;
    int t = threadIdx.x;
    if (t == 0) head = -1;
    __syncthreads();
    int old = *(volatile int*)&head;
    while (true) {
#if !DEFECT
        next[t] = old;
#endif
        int seen = atomicCAS(&head, old, t);
        if (seen == old) break;
        old = seen;
    }
#if DEFECT
    if (t == 20) {
        int length = 0;
        for (int at = next[63]; at >= 0 && length < 3; at = next[at]) ++length; // <- walk
        *sum = length;
    }
    next[t] = old; // <- link
#endif
    __syncthreads();
#if !DEFECT
    if (t == 20) {
        int length = 0;
        for (int at = head; at >= 0; at = next[at]) ++length;
        *sum = length;
    }
#endif
}
