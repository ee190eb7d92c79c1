//@ run --entry check --grid 2 --block 40 --arg i32:60
extern "C" __global__ void check(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n);
}
