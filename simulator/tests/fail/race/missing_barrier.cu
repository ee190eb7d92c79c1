//@ run --entry shift --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
extern "C" __global__ void shift(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    out[t] = s[63 - t];
}
