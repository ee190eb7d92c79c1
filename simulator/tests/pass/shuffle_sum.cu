//@ run --entry sum --grid 2 --block 64 --arg in:i32:128=iota --arg out:i32:2
__device__ int warp_sum(int v) {
    for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffffu, v, k);
    return v;
}
extern "C" __global__ void sum(const int* in, int* out) {
    __shared__ int part[2];
    int t = threadIdx.x;
    int v = warp_sum(in[blockIdx.x * blockDim.x + t]);
    if (t % 32 == 0) part[t / 32] = v;
    __syncthreads();
    if (t == 0) out[blockIdx.x] = part[0] + part[1];
}
