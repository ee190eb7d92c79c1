// Every thread has a chunk of seven; the last chunk is shorter.
//@ run --entry chunks --grid 1 --block 32 --arg in:i32:220=iota --arg out:i32:32 --arg i32:220
//! clean
//! defect 1: out_of_bounds at item
extern "C" __global__ void chunks(const int* in, int* out, int n)
{
    int first = threadIdx.x * 7, sum = 0;
#if DEFECT
    for (int i = first; i < first + 7; ++i) {
#else
    for (int i = first; i < min(first + 7, n); ++i) {
#endif
        sum += in[i]; // <- item
    }
    out[threadIdx.x] = sum;
}
