// Mean and variance of a block: two structures by value give a third, along a tree in shared memory.
//@ run --entry moments --grid 2 --block 64 --arg in:f32:128=iota --arg out:f32:2x3
//! clean
//! defect 1: race at merge and merge
//! defect 2: uninitialized_read at empty|share|result
//! defect 3: out_of_bounds at merge
//! defect 4: race at result and result
struct Moments {
    float mean, squares;
    int count;
};
__device__ __noinline__ Moments single(float x)
{
    Moments of;
    of.mean = x;
    of.squares = 0;
#if DEFECT != 2
    of.count = 1;
#endif
    return of;
}
__device__ __noinline__ Moments merged(Moments a, Moments b)
{
    const int count = a.count + b.count;
    if (count == 0) return a; // <- empty
    const float away = b.mean - a.mean, share = (float)b.count / count; // <- share
    return {a.mean + away * share, a.squares + b.squares + away * away * a.count * share, count};
}
extern "C" __global__ void moments(const float* in, Moments* out)
{
    __shared__ Moments all[64];
    const int t = threadIdx.x;
    all[t] = single(in[blockIdx.x * 64 + t]);
    __syncthreads();
#if DEFECT == 3
    for (int d = 64; d > 0; d /= 2) {
#else
    for (int d = 32; d > 0; d /= 2) {
#endif
        if (t < d) all[t] = merged(all[t], all[t + d]); // <- merge
#if DEFECT != 1
        __syncthreads();
#endif
    }
#if DEFECT == 4
    if (t == 0) out[0] = all[0]; // <- result
#else
    if (t == 0) out[blockIdx.x] = all[0]; // <- result
#endif
}
