// Whoever raises the maximum writes its place afterwards under the same word: value and place in one 64-bit word, or apart.
//@ run --entry publish --grid 2 --block 64 --arg in:i32:128=iota --arg inout:u64:1=zeros --arg inout:i32:2=zeros
//! clean
//! defect 1: race at place
//! defect 2: race at look
extern "C" __global__ void publish(const int* in, unsigned long long* best, int* apart)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    unsigned v = in[i] * 37 % 128;
#if DEFECT == 1
    if (atomicMax(&apart[0], int(v)) < int(v)) apart[1] = i; // <- place
#elif DEFECT == 2
    if (unsigned(*best >> 32) <= v) atomicMax(best, (unsigned long long)v << 32 | i); // <- look
#else
    atomicMax(best, (unsigned long long)v << 32 | i);
#endif
}
