//@ run --entry shift --grid 1 --block 64 --arg in:i32:50=iota --arg out:i32:50 --arg i32:50
extern "C" __global__ void shift(const int* in, int* out, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i >= n) return;
    s[i] = in[i];
    __syncwarp();
    out[i] = s[i % 32 ? i - 1 : i];
    __syncwarp();
}
