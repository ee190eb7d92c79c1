// All threads of a block look at a flag together, round by round, with barriers in the loop. Another block raises it, or does not.
//@ run --entry together --grid 2 --block 64 --arg inout:i32:1=zeros --arg out:i32:64 --budget 3000000
//! clean
//! defect 1: deadlock at head|look|round|again|end
extern "C" __global__ void together(int* flag, int* out)
{
    __shared__ int seen;
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
#if !DEFECT
        if (t == 0) atomicExch(flag, 1);
#endif
        return;
    }
    do { // <- head
        if (t == 0) seen = atomicAdd(flag, 0); // <- look
        __syncthreads(); // <- round
        out[t] = seen;
        __syncthreads(); // <- again
    } while (out[t] == 0); // <- end
}
