// Every block writes its own range; a range one too long meets the next block's first.
//@ run --entry fill --grid 4 --block 32 --arg out:i32:129
//! clean
//! defect 1: race at write
extern "C" __global__ void fill(int* out)
{
    int first = blockIdx.x * 32;
#if DEFECT
    for (int k = threadIdx.x; k <= 32; k += 32) {
#else
    for (int k = threadIdx.x; k < 32; k += 32) {
#endif
        out[first + k] = blockIdx.x * 1000 + k; // <- write
    }
}
