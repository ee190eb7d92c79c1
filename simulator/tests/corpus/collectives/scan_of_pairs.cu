// A scan of structures (count and running maximum) over a block in shared memory, ping-ponging between two halves; the operator is a class.
//@ run --entry scan --grid 1 --block 48 --arg in:i32:48=iota --arg out:i32:48 --arg out:f32:48
//! clean
//! defect 1: race at step|first and step|first
//! defect 2: race at step and step
//! defect 3: uninitialized_read at result
struct Part {
    int count;
    float most;
};
struct Join {
    __device__ Part operator()(Part a, Part b) const { return Part{a.count + b.count, fmaxf(a.most, b.most)}; }
};
template <class T, class Op>
__device__ T scan_block(T* halves, T mine, Op op)
{
    int t = threadIdx.x, n = blockDim.x;
    T* from = halves;
    T* to = halves + n;
    from[t] = mine; // <- first
#if DEFECT == 1
    if (n > 64)
#endif
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
#if DEFECT == 2
        from[t] = t >= d ? op(from[t - d], from[t]) : from[t]; // <- step
#else
        to[t] = t >= d ? op(from[t - d], from[t]) : from[t]; // <- step
#endif
        __syncthreads();
#if DEFECT != 2
        T* other = from;
        from = to;
        to = other;
#endif
    }
#if DEFECT == 3
    return halves[n + (t * 2 + 1) % n + (n % 2 ? 0 : n)];
#else
    return from[t];
#endif
}
extern "C" __global__ void scan(const int* in, int* counts, float* mosts)
{
#if DEFECT == 3
    __shared__ Part halves[144];
#else
    __shared__ Part halves[96];
#endif
    int t = threadIdx.x, v = in[t] * 37 % 48;
    Part all = scan_block(halves, Part{v & 1, (float)v}, Join{});
    counts[t] = all.count; // <- result
    mosts[t] = all.most; // <- result
}
