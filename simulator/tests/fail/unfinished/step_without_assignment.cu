//@ run --entry sums --grid 1 --block 64 --arg in:i32:256=iota --arg out:i32:64 --arg i32:256
extern "C" __global__ void sums(const int* in, int* out, int n) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i + blockDim.x) {
        sum += in[i];
    }
    out[threadIdx.x] = sum;
}
