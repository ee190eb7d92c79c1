// Roots are joined by compare-and-swap and parents read as volatile.
//@ run --entry join --grid 1 --block 64 --arg inout:i32:64=iota
//! clean
//! defect 1: race at climb and hook
__device__ int root(int* parent, int i)
{
#if DEFECT
    while (parent[i] != i) i = parent[i]; // <- climb
#else
    while (((volatile int*)parent)[i] != i) i = ((volatile int*)parent)[i];
#endif
    return i;
}
extern "C" __global__ void join(int* parent)
{
    int a = threadIdx.x, b = (threadIdx.x * 5 + 3) % 64;
    while (true) {
        a = root(parent, a);
        b = root(parent, b);
        if (a == b) break;
        int high = max(a, b), low = min(a, b);
        if (atomicCAS(&parent[high], high, low) == high) break; // <- hook
    }
}
