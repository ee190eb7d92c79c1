// A word read by three warps; the writer waits for two of them by a named barrier, and for the third or not.
//@ run --entry wait_for_readers --grid 1 --block 128 --arg out:i32:128
//! clean
//! defect 1: race at read and write
extern "C" __global__ void wait_for_readers(int* out)
{
    __shared__ int word;
    int t = threadIdx.x;
    if (t == 0) word = 5;
    __syncthreads();
    if (t < 96) {
        out[t] = word; // <- read
    }
#if DEFECT
    if (t >= 32) asm volatile("bar.sync 1, 96;" ::: "memory");
#else
    asm volatile("bar.sync 1, 128;" ::: "memory");
#endif
    if (t == 96) {
        word = 6; // <- write
        out[96] = word;
    } else if (t > 96) {
        out[t] = 0;
    }
}
