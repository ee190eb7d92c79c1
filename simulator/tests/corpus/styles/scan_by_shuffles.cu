// A scan of a warp: all lanes shuffle, only some add.
//@ run --entry scan --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: invalid_mask at up
template <int Lanes>
struct WarpScan {
    static __device__ int run(int v, int lane)
    {
#pragma unroll
        for (int d = 1; d < Lanes; d += d) {
#if DEFECT
            if (lane >= d) v += __shfl_up_sync(0xffffffffu, v, d); // <- up
#else
            int below = __shfl_up_sync(0xffffffffu, v, d); // <- up
            if (lane >= d) v += below;
#endif
        }
        return v;
    }
};
extern "C" __global__ void scan(const int* in, int* out)
{
    out[threadIdx.x] = WarpScan<32>::run(in[threadIdx.x], threadIdx.x % 32);
}
