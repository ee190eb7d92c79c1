//@ run --entry wait --grid 1 --block 32 --arg in:i32:4=zeros --arg inout:i32:1=zeros
__device__ __noinline__ int ready(volatile int* flags) {
    int n = 0;
    for (int i = 0; i < 4; ++i) n += flags[i];
    return n;
}
__device__ __noinline__ int wait_for(volatile int* flags) {
    int rounds = 0;
    while (ready(flags) == 0) ++rounds;
    return rounds;
}
extern "C" __global__ void wait(int* flags, int* rounds) { *rounds = wait_for(flags); }
