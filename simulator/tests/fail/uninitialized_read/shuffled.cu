//@ run --entry shuffled --grid 1 --block 32 --arg in:i32:32=iota --arg inout:i32:32=zeros
extern "C" __global__ void shuffled(const int* in, int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (in[t] < 31) s[t] = in[t];
    __syncwarp();
    int other = __shfl_xor_sync(0xffffffffu, s[t], 1);
    if (__all_sync(0xffffffffu, other >= 0)) out[t] = 1;
}
