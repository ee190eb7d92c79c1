// Each block adds to a word and then reads it plainly: what the others add races with that, whoever was last.
//@ run --entry late --grid 2 --block 32 --arg inout:i32:2=zeros --arg out:i32:2
//! clean
//! defect 1: race at look and add
extern "C" __global__ void late(int* words, int* out)
{
    if (threadIdx.x) return;
    int v = atomicAdd(&words[0], 5); // <- add
#if DEFECT
    v = words[0]; // <- look
#else
    v += 5;
#endif
    out[blockIdx.x] = v;
}
