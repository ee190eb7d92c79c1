//@ run --entry absent --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
extern "C" __global__ void absent(const int* in, int* out) {
    int t = threadIdx.x, v = in[t];
    if (t < 16) v = __shfl_xor_sync(0xffffffffu, v, 1);
    out[t] = v;
}
