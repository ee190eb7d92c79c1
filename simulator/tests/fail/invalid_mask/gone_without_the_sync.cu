//@ run --entry tail --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:16
extern "C" __global__ void tail(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 16) {
        s[t] += s[t + 16];
        __syncwarp();
        out[t] = s[15 - t];
        __syncwarp(0xffff);
    }
}
