//@ launch saxpy grid=1024 block=128 in:i32:iota:131072 inout:i32:zeros:131072 i32:3 i32:131072
//@ budget 10000
extern "C" __global__ void saxpy(const int* x, int* y, int a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
