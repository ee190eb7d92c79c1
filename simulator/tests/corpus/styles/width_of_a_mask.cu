// A sum over parts of a warp; the mask names the part's own lanes.
//@ run --entry parts --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:4
//! clean
//! defect 1: invalid_mask at step
//! defect 2: race at put
template <unsigned Width>
__device__ int sum(int v, unsigned lane)
{
#if DEFECT == 1
    unsigned mask = (1u << Width) - 1;
#else
    unsigned mask = ((1u << Width) - 1) << (lane & ~(Width - 1));
#endif
#pragma unroll
    for (unsigned d = Width / 2; d; d /= 2) v += __shfl_down_sync(mask, v, d, Width); // <- step
    return v;
}
extern "C" __global__ void parts(const int* in, int* out)
{
    unsigned t = threadIdx.x;
    int total = sum<16>(in[t], t & 31);
#if DEFECT == 2
    if (t % 8 == 0) out[t / 16] = total; // <- put
#else
    if (t % 16 == 0) out[t / 16] = total;
#endif
}
