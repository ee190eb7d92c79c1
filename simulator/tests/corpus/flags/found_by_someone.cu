// Threads look for a value until one has found it; the flag is volatile and looked at anew by all, within a warp, too.
//@ run --entry find --grid 1 --block 64 --arg in:i32:1024=iota --arg inout:i32:1=zeros
//! clean
//! defect 1: race at ask and raise
//! defect 2: race at place
extern "C" __global__ void find(const int* in, int* out)
{
    __shared__ int found;
    int t = threadIdx.x;
    if (t == 0) found = 0;
    __syncthreads();
    for (int k = t; k < 1024; k += 64) {
#if DEFECT == 1
        if (found) break; // <- ask
        if (in[k] * 7 % 1000 == 533) {
            atomicExch(&found, 1); // <- raise
#else
        if (*(volatile int*)&found) break;
        if (in[k] * 7 % 1000 == 533) {
            *(volatile int*)&found = 1;
#endif
#if DEFECT == 2
            *out = k; // <- place
        } else if (in[k] % 100 == 3) {
            *out = k; // <- place
#else
            atomicMax(out, k);
#endif
        }
    }
}
