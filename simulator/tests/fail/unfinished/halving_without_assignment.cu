//@ run --entry sum --grid 2 --block 64 --arg in:i32:128=iota --arg out:i32:2
extern "C" __global__ void sum(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >> 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
