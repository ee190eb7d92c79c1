//@ run --entry clash --grid 1 --block 32 --arg out:i32:4
extern "C" __global__ void clash(int* out) { out[threadIdx.x % 4] = threadIdx.x; }
