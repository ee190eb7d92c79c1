//@ launch sum grid=2 block=32 in:i32:iota:256 out:i32:64 u32:256
//@ budget 100000
extern "C" __global__ void sum(const int* in, int* out, unsigned n) {
    int sum = 0;
    for (unsigned k = n - 1; k >= 0; --k) {
        sum += in[k % n];
        out[blockIdx.x * 32 + threadIdx.x] = sum;
    }
}
