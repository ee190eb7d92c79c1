// Maximum and its place packed into one 64-bit atomic; in two words the second is stored plainly by every temporary winner.
//@ run --entry arg_max --grid 2 --block 64 --arg in:i32:128=iota --arg inout:u64:1=zeros --arg inout:i32:1=zeros
//! clean
//! defect 1: race at place
extern "C" __global__ void arg_max(const int* in, unsigned long long* best, int* place)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int v = in[i] * 37 % 101;
#if DEFECT
    if (atomicMax((int*)best, v) < v) {
        *place = i; // <- place
    }
#else
    atomicMax(best, (unsigned long long)v << 32 | (unsigned)i);
#endif
}
