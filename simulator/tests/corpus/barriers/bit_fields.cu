// Two bit-fields share a word: writing one reads and writes the word.
//@ run --entry pack --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:1
//! clean
//! defect 1: race at low and high
#if DEFECT
struct Pair {
    unsigned low : 12, high : 12;
};
#else
struct Pair {
    unsigned short low, high;
};
#endif
extern "C" __global__ void pack(const int* in, int* out)
{
    __shared__ Pair p;
    int t = threadIdx.x;
    if (t == 63) {
        p.low = 0;
        p.high = 0;
    }
    __syncthreads();
    if (t == 0) {
        p.low = in[3]; // <- low
    }
    if (t == 32) {
        p.high = in[4]; // <- high
    }
    __syncthreads();
    if (t == 0) *out = p.low * 1000 + p.high;
}
