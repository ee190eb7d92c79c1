//@ run --entry hoard --grid 1 --block 3 --arg out:i32:3
extern "C" __global__ void hoard(int* out) { out[threadIdx.x] = malloc(3 << 20) == nullptr; }
