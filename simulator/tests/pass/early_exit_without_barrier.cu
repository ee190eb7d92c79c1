//@ run --entry guard --grid 2 --block 64 --arg in:i32:70=iota --arg out:i32:70 --arg i32:70
extern "C" __global__ void guard(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] % 2) {
        out[i] = 1;
        return;
    }
    out[i] = in[i] / 2;
}
