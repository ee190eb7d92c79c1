// A loop that goes down with an unsigned counter, which must stop before it wraps.
//@ run --entry down --grid 1 --block 32 --arg inout:i32:96=iota --arg i32:3
//! clean
//! defect 1: out_of_bounds at move; --budget 200000 also=unfinished,deadlock,race
//! defect 2: out_of_bounds at move
extern "C" __global__ void down(int* a, unsigned rows)
{
    int t = threadIdx.x;
#if DEFECT == 1
    for (unsigned r = rows - 1; r >= 0; --r) {
        a[r * 32 + t] += r; // <- move
    }
#elif DEFECT == 2
    for (unsigned r = rows; r > 0; --r) {
        a[r * 32 + t] += r; // <- move
    }
#else
    for (unsigned r = rows; r-- > 0;) {
        a[r * 32 + t] += r;
    }
#endif
}
