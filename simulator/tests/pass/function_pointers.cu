//@ run --entry apply --grid 1 --block 32 --arg out:i32:32
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ int negate(int x) { return -x; }
typedef int (*function)(int);
__device__ function table[3] = {twice, square, negate};
extern "C" __global__ void apply(int* out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x); }
