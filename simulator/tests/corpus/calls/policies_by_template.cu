// A block-wide algorithm put together from policies: how items are loaded, how they are reduced and who stores are template parameters; with one policy there is a barrier, with another there is none.
//@ run --entry run --grid 2 --block 64 --arg in:i32:256=iota --arg out:i32:4
//! clean
//! defect 1: race at read and read
//! defect 2: race at first and write
//! defect 3: barrier_divergence at meet|behind; also=race,invalid_mask
struct Through {
    static constexpr bool SHARED = true;
    template <class T>
    static __device__ T reduce(T v, T* s)
    {
        int t = threadIdx.x;
        s[t] = v; // <- write
        for (int d = 32; d > 0; d /= 2) {
#if DEFECT == 1
            if (d > 16)
#endif
#if DEFECT == 3
            if (t < d * 2) __syncthreads(); // <- meet
#else
            __syncthreads(); // <- meet
#endif
            if (t < d) s[t] += s[t + d]; // <- read
        }
        __syncthreads(); // <- behind
        return s[0]; // <- first
    }
};
struct ByShuffles {
    static constexpr bool SHARED = false;
    template <class T>
    static __device__ T reduce(T v, T*)
    {
        for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
        return v;
    }
};
template <class Policy, int ITEMS>
__device__ int sum(const int* in, int* s)
{
    int v = 0;
    for (int k = 0; k < ITEMS; ++k) v += in[k * 64 + threadIdx.x];
    v = Policy::reduce(v, s);
#if DEFECT != 2
    if constexpr (Policy::SHARED) __syncthreads();
#endif
    return v;
}
extern "C" __global__ void run(const int* in, int* out)
{
    __shared__ int s[64];
    in += blockIdx.x * 128;
    int a = sum<Through, 2>(in, s);
    int b = sum<Through, 1>(in + 64, s);
    int c = sum<ByShuffles, 1>(in, s);
    if (threadIdx.x == 0) out[blockIdx.x * 2] = a - b;
    if (threadIdx.x == 32) out[blockIdx.x * 2 + 1] = c;
}
//! label 3: consequences were not allowed: warps that are a barrier apart come to the shuffles by different ways
