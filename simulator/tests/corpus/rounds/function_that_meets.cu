// An exchange with its barriers is a function that the kernel's loop calls when the round's number says so, twice in some rounds.
//@ run --entry calls --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: barrier_divergence at inside|behind|call; also=race,uninitialized_read
//! defect 2: race at inside_put and inside_get
struct Exchange {
    int* s;
    __device__ __noinline__ int operator()(int v, int distance)
    {
        s[threadIdx.x] = v; // <- inside_put
        __syncthreads(); // <- inside
        int other = s[(threadIdx.x + distance) % 64]; // <- inside_get
#if DEFECT != 2
        __syncthreads(); // <- behind
#endif
        return other;
    }
};
extern "C" __global__ void calls(const int* in, int* out)
{
    __shared__ int s[64];
    Exchange exchange{s};
    int t = threadIdx.x, v = in[t];
    for (int k = 0; k < 8; ++k) {
#if DEFECT == 1
        if (k % 2 == t / 32) v += exchange(v, k + 1); // <- call
#else
        if (k % 2) v += exchange(v, k + 1); // <- call
#endif
        if (k % 3 == 2) v ^= exchange(v, 5); // <- call
    }
    out[t] = v;
}
