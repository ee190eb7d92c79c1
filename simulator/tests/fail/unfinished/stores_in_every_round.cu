//@ run --entry scale --grid 2 --block 64 --arg in:i32:256=iota --arg inout:i32:256=zeros --arg i32:256
extern "C" __global__ void scale(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        if (i > 2 * n) return;
        out[i] += in[i];
        i + blockDim.x * gridDim.x;
    }
}
