//@ run --entry partial --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
extern "C" __global__ void partial(const int* in, int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 30) s[t] = in[t];
    __syncthreads();
    out[t] = s[31 - t] + 1;
}
