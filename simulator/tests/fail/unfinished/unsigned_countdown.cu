//@ run --entry sum --grid 2 --block 32 --arg in:i32:256=iota --arg out:i32:64 --arg u32:256
//@ run --budget 100000
extern "C" __global__ void sum(const int* in, int* out, unsigned n) {
    int sum = 0;
    for (unsigned k = n - 1; k >= 0; --k) {
        sum += in[k % n];
        out[blockIdx.x * 32 + threadIdx.x] = sum;
    }
}
