// A segmented scan of a block: values and flags that say where a segment begins go through the same steps.
//@ run --entry scan --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: race at write and read
//! defect 2: race at read and write
//! defect 3: race at read and flag
//! defect 4: uninitialized_read at read|write|result
extern "C" __global__ void scan(const int* in, int* out)
{
    __shared__ int value[96];
    __shared__ bool head[96];
    int t = threadIdx.x;
    value[t] = in[t]; // <- write
#if DEFECT == 4
    if (t % 7 == 0) head[t] = true;
#else
    head[t] = t % 7 == 0;
#endif
    __syncthreads();
    for (int d = 1; d < 96; d <<= 1) {
        int v = 0;
        bool h = false;
        if (t >= d) {
            if (!head[t]) v = value[t - d]; // <- read
            h = head[t - d]; // <- read
        }
#if DEFECT == 3
        head[t] = head[t] || h; // <- flag
#endif
#if DEFECT != 2
        __syncthreads();
#endif
        value[t] += v; // <- write
#if DEFECT != 3
        head[t] = head[t] || h; // <- flag
#endif
#if DEFECT != 1
        __syncthreads();
#endif
    }
    out[t] = value[t]; // <- result
}
