// The last of the toolkit's seven reductions: two loads a step, unrolled by the block's size as a template's parameter, the last warp by shuffles.
//@ run --entry reduce7 --grid 2 --block 128 --arg in:i32:1000=iota --arg out:i32:2 --arg i32:1000
//! clean
//! defect 1: race at keep|first
//! defect 2: race at first and last
//! defect 3: out_of_bounds at load
//! defect 4: invalid_mask at shuffle; also=uninitialized_read
template <unsigned SIZE> __device__ __forceinline__ int total(int v, int* s, unsigned t)
{
    s[t] = v; // <- keep
#if DEFECT != 1
    __syncthreads();
#endif
    if (SIZE >= 256) {
        if (t < 128) s[t] = v = v + s[t + 128];
        __syncthreads();
    }
    if (SIZE >= 128) {
        if (t < 64) {
            s[t] = v = v + s[t + 64]; // <- first
        }
#if DEFECT != 2
        __syncthreads();
#endif
    }
    if (t < 32) {
        if (SIZE >= 64) v += s[t + 32]; // <- last
#if DEFECT == 4
        if (t < 16)
#endif
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d); // <- shuffle
    }
    return v;
}
extern "C" __global__ void reduce7(const int* in, int* out, unsigned n)
{
    __shared__ int s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    int sum = 0;
    while (i < n) {
        sum += in[i];
#if DEFECT == 3
        sum += in[i + 128]; // <- load
#else
        if (i + 128 < n) sum += in[i + 128];
#endif
        i += 256 * gridDim.x;
    }
    sum = total<128>(sum, s, t);
    if (t == 0) out[blockIdx.x] = sum;
}
