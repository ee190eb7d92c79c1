//@ run --entry maximum --grid 3 --block 128 --arg in:f32:300=iota --arg out:f32:3 --arg i32:300
extern "C" __global__ void maximum(const float* in, float* out, int n) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : -__int_as_float(0x7f800000);
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) s[t] = fmaxf(s[t], s[t + k]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
