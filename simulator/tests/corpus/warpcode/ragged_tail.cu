// The last warp has fewer lanes with data, but all lanes take part: the tail gives zeros.
//@ run --entry sum --grid 2 --block 64 --arg in:i32:100=iota --arg inout:i32:1=zeros --arg i32:100
//! clean
//! defect 1: uninitialized_read at fold; also=invalid_mask
//! defect 2: out_of_bounds at load
//! defect 3: race at add
extern "C" __global__ void sum(const int* in, int* out, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x, v = 0;
#if DEFECT == 1
    if (i >= n) return;
    v = in[i];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(__activemask() | 1u << 31, v, d); // <- fold
#elif DEFECT == 2
    v = i <= n ? in[i] : 0; // <- load
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
#else
    if (i < n) v = in[i];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
#endif
#if DEFECT == 3
    if (threadIdx.x % 32 == 0) *out += v; // <- add
#else
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
#endif
}
//! label 1: was invalid_mask at the shuffle: the lanes may leave; what is wrong is to use what a lane that left gives
