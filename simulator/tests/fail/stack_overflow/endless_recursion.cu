//@ run --entry deep --grid 1 --block 32 --arg out:i32:32
__device__ int down(int n) { return n == 0 ? 0 : 1 + down(n + 1) % 7; }
extern "C" __global__ void deep(int* out) { out[threadIdx.x] = down(threadIdx.x); }
