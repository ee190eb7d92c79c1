// Thread 0 hands a value to all warps each round; it may go on only when the last of them has read it.
//@ run --entry hand_out --grid 1 --block 128 --arg in:i32:4=iota --arg out:i32:128
//! clean
//! defect 1: race at write and read
extern "C" __global__ void hand_out(const int* in, int* out)
{
    __shared__ int value;
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; ++k) {
        if (t == 0) {
            value = in[k]; // <- write
        }
        __syncthreads();
        sum = sum * 3 + value; // <- read
#if DEFECT
        __syncwarp();
#else
        __syncthreads();
#endif
    }
    out[t] = sum;
}
