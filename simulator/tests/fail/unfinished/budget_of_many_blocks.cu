//@ run --entry saxpy --grid 1024 --block 128 --arg in:i32:131072=iota --arg inout:i32:131072=zeros --arg i32:3 --arg i32:131072
//@ run --budget 10000
extern "C" __global__ void saxpy(const int* x, int* y, int a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
