// __restrict__, __ldg, __launch_bounds__, volatile and an assertion that holds.
//@ run --entry qualifiers --grid 2 --block 128 --arg in:f32:256=uniform.npy --arg out:f32:256
// save: 1
// reference: qualifiers

extern "C" __global__ void __launch_bounds__(128, 4) qualifiers(const float* __restrict__ in, float* __restrict__ out)
{
    volatile __shared__ float copy[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    assert(blockDim.x == 128);
    copy[t] = __ldg(&in[i]);
    __syncthreads();
    float v = copy[127 - t];
    assert(v >= -1.0f && v <= 1.0f);
    out[i] = v * 4.0f;
}
