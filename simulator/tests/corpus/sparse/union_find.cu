// Components by union and find: roots are hooked below smaller ones by compare-and-swap, finds climb by volatile reads, and behind a barrier of the grid each label is read off.
//@ run --entry unite --grid 2 --block 64 --arg in:i32:128=iota --arg inout:i32:128=iota --arg out:i32:128 --cooperative
//! clean
//! defect 1: race at hook and climb|hook
//! defect 2: race at hook and flat
#include <cooperative_groups.h>
__device__ int find(volatile int* parent, int v)
{
    int p = parent[v]; // <- climb
    while (p != v) {
        v = p;
        p = parent[v]; // <- climb
    }
    return v;
}
extern "C" __global__ void unite(const int* in, int* parent, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = in[i], b = (in[i] * 29 + 7) % 128;
    if (i % 5) {
        while (true) {
            a = find(parent, a);
            b = find(parent, b);
            if (a == b) break;
            if (a < b) {
                int c = a;
                a = b;
                b = c;
            }
#if DEFECT == 1
            if (parent[a] == a) { // <- hook
                parent[a] = b; // <- hook
                break;
            }
#else
            if (atomicCAS(&parent[a], a, b) == a) break; // <- hook
#endif
        }
    }
#if DEFECT == 2
    __syncthreads();
#else
    cooperative_groups::this_grid().sync();
#endif
    int v = i;
    while (parent[v] != v) v = parent[v]; // <- flat
    out[i] = v;
}
