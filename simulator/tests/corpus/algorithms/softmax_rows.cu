// A warp for each row: maximum and sum by shuffles, no barrier at all; sharing one word between the warps needs one.
//@ run --entry softmax --grid 2 --block 32,4 --arg in:f32:8x50=iota --arg out:f32:8x50 --arg i32:50
//! clean
//! defect 1: race at share
extern "C" __global__ void softmax(const float* in, float* out, int n)
{
    __shared__ float scale[4];
    int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    float top = -1e30f;
    for (int k = lane; k < n; k += 32) top = fmaxf(top, in[row * n + k]);
    for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    float sum = 0;
    for (int k = lane; k < n; k += 32) sum += expf(in[row * n + k] - top);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
#if DEFECT
    if (lane == 0) {
        scale[0] = 1 / sum + row; // <- share
    }
#else
    if (lane == 0) scale[threadIdx.y] = 1 / sum;
#endif
    __syncwarp();
    float s = scale[threadIdx.y];
#if DEFECT
    s = 1 / sum;
#endif
    for (int k = lane; k < n; k += 32) out[row * n + k] = expf(in[row * n + k] - top) * s;
}
