//@ run --entry reverse --grid 1 --block 64 --arg in:i32:8=iota --arg out:i32:64
extern "C" __global__ void reverse(const int* in, int* out) {
    int a[8];
    for (int i = 0; i < 8; ++i) a[i] = in[i] + threadIdx.x;
    for (int i = 0; i < 4; ++i) {
        int x = a[i];
        a[i] = a[7 - i];
        a[7 - i] = x;
    }
    out[threadIdx.x] = a[threadIdx.x % 8];
}
