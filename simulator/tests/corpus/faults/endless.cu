// A loop that steps over its end.
//@ run --entry collatz --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32 --budget 300000
//! clean
//! defect 1: unfinished at loop|body
extern "C" __global__ void collatz(const int* in, int* out)
{
    int n = in[threadIdx.x] + 1, steps = 0;
#if DEFECT
    while (n != 0) { // <- loop
#else
    while (n != 1) {
#endif
        n = n % 2 ? 3 * n + 1 : n / 2; // <- body
        ++steps;
    }
    out[threadIdx.x] = steps;
}
