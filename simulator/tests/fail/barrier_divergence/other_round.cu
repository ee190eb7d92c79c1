//@ run --entry wave --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
extern "C" __global__ void wave(const int* in, int* out) {
    int t = threadIdx.x, v = in[t];
    for (int k = 0; k < 8; ++k) {
        if (k % 2 == t / 32) {
            v += k;
            __syncthreads();
        }
    }
    out[t] = v;
}
