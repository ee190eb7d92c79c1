// The usual block sum: shuffles, one word per warp, a barrier, and the first warp adds the words up.
//@ run --entry total --grid 2 --block 160 --arg in:i32:320=iota --arg out:i32:2
//! clean
//! defect 1: race at word and words
//! defect 2: uninitialized_read at add|store|words
__device__ int warp_sum(int v)
{
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_xor_sync(0xffffffff, v, d); // <- add
    }
    return v;
}
extern "C" __global__ void total(const int* in, int* out)
{
    __shared__ int word[32];
    int t = threadIdx.x, lane = t % 32;
    int v = warp_sum(in[blockIdx.x * 160 + t]);
    if (lane == 0) {
        word[t / 32] = v; // <- word
    }
#if DEFECT != 1
    __syncthreads();
#endif
    if (t < 32) {
#if DEFECT == 2
        v = warp_sum(word[lane]); // <- words
#else
        v = warp_sum(lane < 5 ? word[lane] : 0); // <- words
#endif
        if (t == 0) {
            out[blockIdx.x] = v; // <- store
        }
    }
}
