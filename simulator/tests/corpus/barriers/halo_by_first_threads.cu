// A tile with a halo on both sides, which the first threads load.
//@ run --entry blur --grid 2 --block 64 --arg in:i32:130=iota --arg out:i32:128
//! clean
//! defect 1: race at middle|ends and blur
//! defect 2: out_of_bounds at ends; also=uninitialized_read
extern "C" __global__ void blur(const int* in, int* out)
{
    __shared__ int tile[66];
    int t = threadIdx.x, first = blockIdx.x * 64;
    tile[t + 1] = in[first + t + 1]; // <- middle
#if DEFECT == 2
    if (t < 2) tile[t * 66] = in[first + t * 65]; // <- ends
#else
    if (t < 2) tile[t * 65] = in[first + t * 65]; // <- ends
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    out[first + t] = tile[t] + tile[t + 1] + tile[t + 2]; // <- blur
}
