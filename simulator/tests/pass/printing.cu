//@ run --entry print --grid 2 --block 3 --arg in:f32:8=iota
extern "C" __global__ void print(const float* x) {
    printf("block %d thread %u: %.2f %5.1e|%-6s|%c %lld%%\n", blockIdx.x, threadIdx.x, x[threadIdx.x], x[4 + threadIdx.x], "ab", 'c',
           1234567890123LL);
}
