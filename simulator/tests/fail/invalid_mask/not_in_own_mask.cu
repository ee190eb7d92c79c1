//@ run --entry stranger --grid 1 --block 32 --arg out:u32:32
extern "C" __global__ void stranger(unsigned* out) { out[threadIdx.x] = __ballot_sync(0xffffu, threadIdx.x % 2); }
