// The launch must ask for one float per thread.
//@ run --entry sized --grid 1 --block 64 --shared 256 --arg in:f32:64=iota --arg out:f32:64
//! clean
//! defect 1: out_of_bounds at put; --shared 64
extern __shared__ float cells[];
extern "C" __global__ void sized(const float* in, float* out)
{
    int t = threadIdx.x;
    cells[t] = in[t]; // <- put
    __syncthreads();
    out[t] = cells[63 - t];
}
