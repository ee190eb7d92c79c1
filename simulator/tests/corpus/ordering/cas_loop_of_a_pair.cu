// A pair (sum and count) in one 64-bit word, changed by a compare-and-swap loop that starts with a guess.
//@ run --entry pair --grid 2 --block 32 --arg in:i32:64=iota --arg inout:u64:1=zeros
//! clean
//! defect 1: race note at guess
//! defect 2: race at set
extern "C" __global__ void pair(const int* in, unsigned long long* word)
{
    int v = in[blockIdx.x * 32 + threadIdx.x];
#if DEFECT == 1
    unsigned long long old = *word, seen; // <- guess
#else
    unsigned long long old = *(volatile unsigned long long*)word, seen;
#endif
    do {
        seen = old;
        unsigned long long next = (seen >> 32) + v << 32 | unsigned(seen) + 1;
#if DEFECT == 2
        *word = next; // <- set
        old = seen;
#else
        old = atomicCAS(word, seen, next);
#endif
    } while (old != seen);
}
//! label 1: was an error; NVIDIA's guide reads its guess so, and the compare-and-swap checks whatever was read
