//@ run --entry count --grid 1 --block 64 --arg inout:i32:64=zeros
// No way leads out of the kernel's own loop: threads leave in a function that it calls.
__device__ __noinline__ void leave(int value) {
    if (value > 40000) asm volatile("exit;");
}

__device__ __noinline__ void step(int* data) {
    leave(++data[threadIdx.x]);
}

extern "C" __global__ void count(int* data) {
    for (;;) step(data);
}
