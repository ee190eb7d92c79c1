//@ run --entry index --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
extern "C" __global__ void index(const int* in, int* out) {
    int a[4];
    for (int i = 0; i < 4; ++i) a[i] = in[i];
    out[threadIdx.x] = a[in[threadIdx.x]];
}
