// A binomial tree going back in time: each step uses the right neighbour's value of the last step; the end of the array is one behind the last thread's.
//@ run --entry price --grid 1 --block 64 --arg in:f32:65=iota --arg out:f32:1 --arg i32:64
//! clean
//! defect 1: race at look and set
//! defect 2: race at look and set
//! defect 3: uninitialized_read at look|answer
extern "C" __global__ void price(const float* pay, float* out, int steps)
{
    __shared__ float call[65];
    int t = threadIdx.x;
    call[t] = pay[t];
#if DEFECT != 3
    if (t == 0) call[64] = pay[64];
#endif
    __syncthreads();
    for (int i = steps; i > 0; --i) {
        float v = 0;
        if (t < i) v = 0.5f * call[t] + 0.5f * call[t + 1]; // <- look
#if DEFECT != 1
        __syncthreads();
#endif
        if (t < i) call[t] = v; // <- set
#if DEFECT != 2
        __syncthreads();
#endif
    }
    if (t == 0) *out = call[0]; // <- answer
}
