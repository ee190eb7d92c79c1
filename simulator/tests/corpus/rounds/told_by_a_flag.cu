// Whether a round ends with an exchange is told by a word in shared memory, which one thread sets from data; all threads read the same.
//@ run --entry rounds --grid 1 --block 96 --arg in:i32:96=iota --arg out:i32:96
//! clean
//! defect 1: barrier_divergence at exchange|over|again|top; also=race,uninitialized_read
//! defect 2: race at flag and look
extern "C" __global__ void rounds(const int* in, int* out)
{
    __shared__ int exchange, s[96];
    int t = threadIdx.x, v = in[t];
    for (int k = 0; k < 9; ++k) {
        if (t == 0) exchange = (in[k] * 5 + 1) % 3 == 0; // <- flag
#if DEFECT != 2
        __syncthreads(); // <- top
#endif
#if DEFECT == 1
        bool mine = (in[k] * 5 + 1 + t / 32) % 3 == 0;
#else
        bool mine = exchange; // <- look
#endif
        if (mine) {
            s[t] = v;
            __syncthreads(); // <- exchange
            v = s[(t + k) % 96] + k;
        }
#if DEFECT != 1
        __syncthreads(); // <- again
#endif
    }
    out[t] = v; // <- over
}
