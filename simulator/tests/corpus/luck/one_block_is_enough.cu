// A kernel for one block; launched with two, both work on the same data.
//@ run --entry prefix --grid 1 --block 32 --arg inout:i32:64=iota
//! clean
//! defect 1: race at add; --grid 2
//! defect 2: race at add; --block 64
extern "C" __global__ void prefix(int* a)
{
    int lane = threadIdx.x % 32;
    for (int first = 0; first < 64; first += 32) {
        int v = a[first + lane];
        for (int d = 1; d < 32; d *= 2) {
            int left = __shfl_up_sync(~0u, v, d);
            if (lane >= d) v += left;
        }
        a[first + lane] = v + gridDim.x + threadIdx.x / 32; // <- add
    }
}
