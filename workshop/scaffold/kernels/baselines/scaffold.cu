// 00-scaffold, naive: HOLE: how. It is no straw man, but what you would write first.

extern "C" __global__ void scaffold(const float *in, float *out, int n) {
    int first = blockIdx.x * blockDim.x;
    int count = min(static_cast<int>(blockDim.x), n - first);
    if (threadIdx.x < count) {
        out[first + threadIdx.x] = in[first + count - 1 - threadIdx.x];
    }
}
