//@ run --entry smooth --grid 1 --block 64 --arg inout:i32:64=iota --arg i32:40
extern "C" __global__ void smooth(int* data, int n) {
    int left = n - threadIdx.x;
    while (left != 0) {
        atomicAdd(&data[threadIdx.x], 1);
        if (left > 0) left -= 1;
    }
}
