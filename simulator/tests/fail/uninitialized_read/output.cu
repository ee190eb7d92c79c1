//@ run --entry output --grid 2 --block 32 --arg in:i32:64=iota --arg out:i32:64
extern "C" __global__ void output(const int* in, int* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] += in[i];
}
