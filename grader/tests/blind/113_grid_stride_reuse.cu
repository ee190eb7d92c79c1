// A grid-stride loop that reuses its tile with both barriers in place, and a ragged last round.
//@ run --entry grid_stride --grid 2 --block 32 --arg in:i32:150=small_ints.npy --arg out:i32:150
//@ run --arg i32:150
// save: 1
// reference: grid_stride

extern "C" __global__ void grid_stride(const int* in, int* out, int n)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    for (int base = blockIdx.x * 32; base < n; base += gridDim.x * 32) {
        if (base + t < n) tile[t] = in[base + t];
        __syncthreads();
        int width = min(32, n - base);
        if (t < width) out[base + t] = tile[width - 1 - t];
        __syncthreads();
    }
}
