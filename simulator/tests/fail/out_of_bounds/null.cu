//@ run --entry store --grid 1 --block 32 --arg null
extern "C" __global__ void store(int* out) { out[threadIdx.x] = 1; }
