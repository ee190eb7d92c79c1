// 1-D stencil with a run-time radius: tile and halo on both sides, zero outside, ragged end.
//@ run --entry stencil --grid 3 --block 64 --arg in:i32:150=small_ints.npy --arg out:i32:150 --arg i32:150
//@ run --arg i32:9
// save: 1
// reference: stencil

extern "C" __global__ void stencil(const int* in, int* out, int n, int radius)
{
    __shared__ int tile[64 + 2 * 16];
    int t = threadIdx.x, first = blockIdx.x * 64 - radius;
    for (int k = t; k < 64 + 2 * radius; k += 64) {
        int g = first + k;
        tile[k] = g >= 0 && g < n ? in[g] : 0;
    }
    __syncthreads();
    int i = blockIdx.x * 64 + t;
    if (i < n) {
        int sum = 0;
        for (int k = -radius; k <= radius; ++k) sum += tile[t + radius + k] * (k + 20);
        out[i] = sum;
    }
}
