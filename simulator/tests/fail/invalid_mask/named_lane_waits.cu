//@ run --entry apart --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
extern "C" __global__ void apart(const int* in, int* out) {
    int t = threadIdx.x, v = in[t];
    if (t % 2) v += __shfl_xor_sync(0xffffffffu, v, 2);
    else v -= __shfl_xor_sync(0xffffffffu, v, 4);
    out[t] = v;
}
