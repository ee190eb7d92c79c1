//@ run --entry fill --grid 2 --block 64 --arg out:i32:100
extern "C" __global__ void fill(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
