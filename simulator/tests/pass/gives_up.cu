//@ run --entry wait --grid 1 --block 96 --arg in:i32:1=zeros --arg inout:i32:3=zeros
// Loops that wait, but not for ever: a count, a count in local memory, the clock.
__device__ bool again(int& rounds) { return rounds++ < 50000; }
extern "C" __global__ void wait(volatile int* flag, int* out) {
    if (threadIdx.x == 0) {
        int n = 0;
        while (*flag == 0 && n < 50000) ++n;
        out[0] = n;
    } else if (threadIdx.x == 32) {
        int n = 0;
        while (*flag == 0 && again(n)) {}
        out[1] = n;
    } else if (threadIdx.x == 64) {
        long long start = clock64();
        while (*flag == 0 && clock64() - start < 300000) {}
        out[2] = 1;
    }
}
