//@ launch sums grid=1 block=64 in:i32:iota:256 out:i32:64 i32:256
extern "C" __global__ void sums(const int* in, int* out, int n) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i + blockDim.x) {
        sum += in[i];
    }
    out[threadIdx.x] = sum;
}
