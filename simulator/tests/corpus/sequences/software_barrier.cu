// A barrier of four warps made of an atomic counter and a sense that is turned over: release on arrival, acquire on leaving.
//@ run --entry rounds --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: race at put and get
//! defect 2: race at put and get
__device__ void meet(int* count, volatile int* sense, int turn)
{
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
#if DEFECT != 1
        __threadfence_block();
#endif
        if (atomicAdd(count, 1) == 3) {
            *count = 0;
            __threadfence_block();
            *sense = turn;
        } else {
#if DEFECT != 2
            while (*sense != turn) {}
#endif
        }
        __threadfence_block();
    }
    __syncwarp();
}
extern "C" __global__ void rounds(const int* in, int* out)
{
    __shared__ int s[128];
    __shared__ int count;
    __shared__ volatile int sense;
    int t = threadIdx.x, v = in[t];
    if (t == 0) {
        count = 0;
        sense = 0;
    }
    __syncthreads();
    for (int k = 1; k <= 3; ++k) {
        s[t] = v; // <- put
        meet(&count, &sense, 2 * k - 1);
        v += s[(t + 32) % 128]; // <- get
        meet(&count, &sense, 2 * k);
    }
    out[t] = v;
}
