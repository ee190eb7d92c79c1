//@ run --entry half --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
extern "C" __global__ void half(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 40) {
        s[t] = in[t];
        __syncthreads();
    }
    out[t] = t;
}
