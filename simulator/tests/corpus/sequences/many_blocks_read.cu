// Four blocks read a word and say so on flags of their own; a fifth waits for all of them before it writes, or leaves one out.
//@ run --entry readers --grid 5 --block 32 --arg inout:i32:1=ones --arg inout:i32:4=zeros --arg out:i32:5
//! clean
//! defect 1: race at read and write
extern "C" __global__ void readers(int* word, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    int b = blockIdx.x;
    if (b < 4) {
        out[b] = *word; // <- read
        __threadfence();
        atomicExch(&flag[b], 1);
    } else {
        for (int k = 0; k < 4; ++k) {
#if DEFECT
            if (k == 3) continue;
#endif
            while (atomicAdd(&flag[k], 0) == 0) {}
        }
        __threadfence();
        *word = 7; // <- write
        out[4] = 0;
    }
}
