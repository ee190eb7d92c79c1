//@ run --entry last --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:1
extern "C" __global__ void last(const int* in, int* out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = 0;
    for (int k = 16; k > 0; k /= 2) s[t] = s[t] + s[t + k];
    if (t == 0) out[0] = s[0];
}
