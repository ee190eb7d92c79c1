//@ run --entry left --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
extern "C" __global__ void left(const int* in, int* out) { out[threadIdx.x] = in[(int)threadIdx.x - 1]; }
