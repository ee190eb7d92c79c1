//@ run --entry add --grid 3 --block 128 --arg in:f32:300=iota --arg in:f32:300=iota --arg out:f32:300 --arg i32:300
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
