// Warps go round together until one of them has raised a flag in shared memory; nobody ever does in the defect.
//@ run --entry rounds --grid 1 --block 64 --arg out:i32:64 --budget 3000000
//! clean
//! defect 1: deadlock|unfinished at check|meet|look
extern "C" __global__ void rounds(int* out)
{
    __shared__ volatile int done;
    int t = threadIdx.x, n = 0;
    if (t == 0) done = 0;
    __syncthreads();
    while (true) {
        int stop = done; // <- look
        __syncthreads(); // <- meet
        if (stop) break; // <- check
#if !DEFECT
        if (t == 40 && n == 3) done = 1;
#endif
        ++n;
        __syncthreads();
    }
    out[t] = n;
}
