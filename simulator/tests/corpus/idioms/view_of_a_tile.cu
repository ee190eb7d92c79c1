// A tile seen through the library's span and array; each thread reads its neighbour.
//@ run --entry shift --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: race at put and get
//! defect 2: uninitialized_read|out_of_bounds at get
//! defect 3: out_of_bounds at get
#include <cuda/std/array>
#include <cuda/std/span>
extern "C" __global__ void shift(const int* in, int* out)
{
    __shared__ cuda::std::array<int, 64> tile;
    int t = threadIdx.x;
    cuda::std::span<int> whole(tile.data(), 64);
    whole[t] = in[t] * 3; // <- put
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 2
    out[t] = tile.data()[t + 1]; // <- get
#elif DEFECT == 3
    out[t] = whole.subspan(16)[t + 64]; // <- get
#else
    out[t] = whole[(t + 1) % 64]; // <- get
#endif
}
