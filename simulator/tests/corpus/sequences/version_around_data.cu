// A writer counts a version up before and after it writes; a reader tries again if the version was odd or has changed. With plain
// data the reader races even though it throws the value away; volatile data does not.
//@ run --entry versions --grid 1 --block 64 --arg out:i32:1
//! clean
//! defect 1: race at write and read
extern "C" __global__ void versions(int* out)
{
    __shared__ volatile int version;
    __shared__ volatile int guarded[2];
    __shared__ int plain[2];
    int t = threadIdx.x;
    if (t == 0) version = guarded[0] = guarded[1] = plain[0] = plain[1] = 0;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k <= 3; ++k) {
            version = 2 * k - 1;
            __threadfence_block();
#if DEFECT
            plain[0] = plain[1] = k; // <- write
#else
            guarded[0] = k;
            guarded[1] = k;
#endif
            __threadfence_block();
            version = 2 * k;
        }
    }
    if (t == 32) {
        int before, a, b;
        do {
            before = version;
            __threadfence_block();
#if DEFECT
            a = plain[0];
            b = plain[1]; // <- read
#else
            a = guarded[0];
            b = guarded[1];
#endif
            __threadfence_block();
        } while (before % 2 || version != before);
        *out = a * 10 + b;
    }
}
