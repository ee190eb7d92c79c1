// Stream compaction: the even values go to places handed out by a counter.
//@ run --entry evens --grid 2 --block 64 --arg in:i32:128=iota --arg out:i32:128 --arg inout:i32:1=zeros
//! clean
//! defect 1: race at take
//! defect 2: race at place
extern "C" __global__ void evens(const int* in, int* out, int* n)
{
    int v = in[blockIdx.x * 64 + threadIdx.x];
    if (v % 2 == 0) {
#if DEFECT == 1
        int at = (*n)++; // <- take
        out[at] = v;
#elif DEFECT == 2
        int at = atomicAdd(n, 1);
        out[at / 2] = v; // <- place
#else
        int at = atomicAdd(n, 1);
        out[at] = v;
#endif
    }
}
