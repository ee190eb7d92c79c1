//@ run --budget 100000
//@ run --entry fibonacci --grid 1 --block 32 --arg out:i32:32
__device__ int fibonacci_of(int n) { return n < 2 ? n : fibonacci_of(n - 1) + fibonacci_of(n - 2); }
extern "C" __global__ void fibonacci(int* out) { out[threadIdx.x] = fibonacci_of(40); }
