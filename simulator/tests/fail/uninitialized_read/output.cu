//@ launch output grid=2 block=32 in:i32:iota:64 out:i32:64
extern "C" __global__ void output(const int* in, int* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] += in[i];
}
