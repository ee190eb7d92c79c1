//@ launch add grid=3 block=128 in:f32:iota:300 in:f32:iota:300 out:f32:300 i32:300
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
