//@ run --entry early --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --arg i32:50
extern "C" __global__ void early(const int* in, int* out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[n - 1 - t];
}
